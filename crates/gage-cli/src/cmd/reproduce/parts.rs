//! Finished units on disk, keyed by a fingerprint of their inputs.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use gage_embed::io::Inputs;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::plan::Plan;
use super::report::{Finished, Unit};
use crate::errors::{Exit, Failure};
use crate::staging::Staging;

/// The folder of parts, and hashes of the data sets seen so far.
pub(super) struct Parts {
    folder: PathBuf,
    data: HashMap<String, String>,
}

/// First line of a part; the second is the unit.
#[derive(Serialize, Deserialize)]
struct Seal {
    /// hash of what the unit was made from
    key: String,
    /// hash of the second line
    content: String,
}

impl Parts {
    pub(super) fn new(folder: &Path) -> Parts {
        Parts { folder: folder.to_owned(), data: HashMap::new() }
    }

    /// Hash of version, unit, parameters and the contents of the data.
    pub(super) fn key(&mut self, unit: &Unit, plan: &Plan) -> anyhow::Result<String> {
        if !self.data.contains_key(&unit.data) {
            let place = plan.place(&unit.data);
            let mut digest = Sha256::new();
            digest_inputs(&Inputs::at(&place), &mut digest).map_err(|error| {
                let message = format!("{}: cannot be read: {error}", place.display());
                Failure::new(Exit::Input, message).help("check that all its files may be read")
            })?;
            self.data.insert(unit.data.clone(), hex(digest));
        }
        let mut digest = Sha256::new();
        digest.update(concat!("gage ", env!("CARGO_PKG_VERSION"), "\0"));
        digest.update(serde_json::to_vec(&(unit, plan.parameters(unit)?, &self.data[&unit.data]))?);
        Ok(hex(digest))
    }

    /// A unit that was done before. A damaged part counts as none.
    pub(super) fn find(&self, unit: &Unit, key: &str) -> Option<Finished> {
        let text = fs::read_to_string(self.file(unit, key)).ok()?;
        let (seal, content) = text.trim_end().split_once('\n')?;
        let seal: Seal = serde_json::from_str(seal).ok()?;
        let whole = seal.key == key && seal.content == hash(content);
        let finished: Finished = serde_json::from_str(content).ok().filter(|_| whole)?;
        (finished.unit == *unit).then_some(finished)
    }

    /// Keeps a finished unit; the file appears whole or not at all.
    pub(super) fn keep(&self, finished: &Finished, key: &str) -> anyhow::Result<()> {
        let content = serde_json::to_string(finished)?;
        let seal = Seal { key: key.to_owned(), content: hash(&content) };
        let text = format!("{}\n{content}\n", serde_json::to_string(&seal)?);
        let mut staging = Staging::new(Inputs::default());
        let target = staging.claim(&self.file(&finished.unit, key))?;
        staging.write(&target, |out| out.write_all(text.as_bytes()))?;
        staging.commit()
    }

    fn file(&self, unit: &Unit, key: &str) -> PathBuf {
        self.folder.join(format!("{}-{}.json", unit.name(), &key[..12]))
    }
}

/// Adds names, sizes and contents of all files to a digest. Not their times or folders: a copy of
/// the data, or a touched file, is the same data.
fn digest_inputs(inputs: &Inputs, digest: &mut Sha256) -> io::Result<()> {
    let mut buffer = vec![0u8; 1 << 16];
    for (name, path) in inputs.files()? {
        let mut file = fs::File::open(&path)?;
        let mut own = Sha256::new();
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                got => own.update(&buffer[..got]),
            }
        }
        digest.update(format!("{name}\0{}\0", file.metadata()?.len()));
        digest.update(own.finalize());
    }
    Ok(())
}

fn hex(digest: Sha256) -> String {
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hash(text: &str) -> String {
    hex(Sha256::new_with_prefix(text))
}
