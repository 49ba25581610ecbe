//! An open file that several readers may share, each at a place of its own.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

/// A file with a place of its own in it: reading does not move the place of other handles.
#[derive(Clone, Debug)]
pub(crate) struct InputFile {
    file: Arc<File>,
    at: u64,
}

impl InputFile {
    pub(super) fn new(file: Arc<File>) -> InputFile {
        InputFile { file, at: 0 }
    }

    /// The file itself, to be mapped.
    pub(crate) fn whole(&self) -> &File {
        &self.file
    }

    /// The file for libraries that want one; its place is shared by all who ask for it.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "for Parquet"))]
    pub(crate) fn into_file(self) -> io::Result<File> {
        Arc::try_unwrap(self.file).or_else(|shared| shared.try_clone())
    }
}

impl Read for InputFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let got = read_at(&self.file, out, self.at)?;
        self.at += got as u64;
        Ok(got)
    }
}

impl Seek for InputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::Current(by) => (self.at, by),
            SeekFrom::End(by) => (self.file.metadata()?.len(), by),
        };
        self.at = from.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(unix)]
fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, out, at)
}

#[cfg(windows)]
fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, out, at)
}
