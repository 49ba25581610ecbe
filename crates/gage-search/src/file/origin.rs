//! The source file of an index, so that the index is never used with another one.
//!
//! Checking must not read a gigabyte. So there are two hashes: one of the whole file, and one of
//! its beginning, its end and some pages between. The second is compared at every search; it
//! distinguishes any two fits, because all their numbers differ. The first is compared only if the
//! modification time shows that the file was changed in place.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use serde::{Deserialize, Serialize};

use gage_core::fingerprint::Hash;

use crate::error::IndexError;

/// Bytes hashed in one piece of the sample.
const PAGE: u64 = 4096;
/// Number of such pieces.
const PAGES: u64 = 64;
/// Bytes read at a time when everything is hashed.
const PIECE: usize = 1 << 24;

/// What is known of the file (or the files) an index was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Size.
    pub bytes: u64,
    /// Hash of pages of it.
    pub sample: String,
    /// Hash of all of it.
    pub whole: String,
}

impl Origin {
    /// Reads the files: that of a model, or an embedding and its ids.
    pub fn of(paths: &[&Path]) -> io::Result<Origin> {
        Ok(Origin { bytes: size(paths)?, sample: sample(paths)?, whole: whole(paths)? })
    }

    /// Checks that an index at `index` was made from these files. They are read as a whole only if
    /// one of them is newer than the index.
    pub fn check(&self, paths: &[&Path], index: &Path) -> Result<(), IndexError> {
        let foreign = |what: &str| Err(IndexError::Foreign { what: what.to_owned() });
        let found = size(paths)?;
        if found != self.bytes {
            return foreign(&format!("file, one of {} bytes where this has {found}", self.bytes));
        }
        if sample(paths)? != self.sample {
            return foreign("file, or the file has changed since");
        }
        let built = fs::metadata(index)?.modified()?;
        let newer = |path: &&Path| {
            fs::metadata(path).and_then(|meta| meta.modified()).map(|time| time > built)
        };
        let newer = paths.iter().map(newer).collect::<io::Result<Vec<bool>>>()?;
        if newer.contains(&true) && whole(paths)? != self.whole {
            return foreign("file, or the file has changed since");
        }
        Ok(())
    }
}

fn size(paths: &[&Path]) -> io::Result<u64> {
    paths.iter().map(|path| Ok(fs::metadata(path)?.len())).sum()
}

fn sample(paths: &[&Path]) -> io::Result<String> {
    let mut hash = Hash::default();
    let mut page = Vec::new();
    for path in paths {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        hash.word(size);
        let last = size.saturating_sub(PAGE);
        for at in 0..PAGES {
            page.clear();
            // u128, for no product of sizes to overflow.
            let position = u128::from(last) * u128::from(at) / u128::from(PAGES - 1);
            file.seek(SeekFrom::Start(position as u64))?;
            file.by_ref().take(PAGE).read_to_end(&mut page)?;
            hash.bytes(&page);
        }
    }
    Ok(hash.text_form())
}

fn whole(paths: &[&Path]) -> io::Result<String> {
    let mut hash = Hash::default();
    let mut piece = Vec::new();
    for path in paths {
        let mut file = File::open(path)?;
        hash.word(file.metadata()?.len());
        loop {
            piece.clear();
            if file.by_ref().take(PIECE as u64).read_to_end(&mut piece)? == 0 {
                break;
            }
            hash.bytes(&piece);
        }
    }
    Ok(hash.text_form())
}
