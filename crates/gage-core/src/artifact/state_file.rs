//! Checkpoint files: tensors as in a model file, metadata as text, and a checksum.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Crc;
use gage_linalg::Workspace;
use thiserror::Error;

use crate::solver::{CheckpointHeader, FitCheckpoint, FitCheckpointRef};

use super::atomic::write_atomically;
use super::tensor_file::{decode, encode, f64s, numbers, read_f64s, read_numbers};

/// Metadata entry that holds the small part.
const KEY: &str = "gage.state";

/// Small vectors are distinguished from tall blocks by their name.
const SMALL: &str = "small.";

/// Why a state could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StateFileError {
    /// The file cannot be opened or read.
    #[error("{path}: {source}")]
    Io {
        /// the file
        path: PathBuf,
        /// message of the system
        source: io::Error,
    },
    /// Not a state, or a damaged one.
    #[error("not a readable state of a fit ({reason})")]
    Damaged {
        /// what is wrong
        reason: String,
    },
}

/// Passes bytes on and sums them up.
struct Summing<'a> {
    out: &'a mut dyn Write,
    crc: Crc,
}

impl Write for Summing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.crc.update(&bytes[..count]);
        Ok(count)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl FitCheckpointRef<'_> {
    /// Writes the state.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = serde_json::to_string(&self.header)?;
        let mut tensors: Vec<_> =
            self.tall.iter().map(|(name, tall)| (name.clone(), numbers(*tall))).collect();
        tensors.extend(
            self.small
                .iter()
                .map(|(name, values)| (format!("{SMALL}{name}"), f64s(values, vec![values.len()]))),
        );
        let mut summing = Summing { out, crc: Crc::new() };
        encode(&mut summing, (KEY, &text), tensors)?;
        let sum = summing.crc.sum();
        out.write_all(&sum.to_le_bytes())
    }

    /// The state as bytes.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the state to a file, which appears whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        write_atomically(path.as_ref(), |out| self.write_to(out))
    }
}

impl FitCheckpoint {
    /// Reads a state.
    pub fn load(path: impl AsRef<Path>) -> Result<FitCheckpoint, StateFileError> {
        FitCheckpoint::load_in(path, &Workspace::default())
    }

    /// As [`load`](FitCheckpoint::load), into the workspace of the fit that resumes from it, so
    /// that nothing needs to be moved there.
    pub fn load_in(
        path: impl AsRef<Path>,
        workspace: &Workspace,
    ) -> Result<FitCheckpoint, StateFileError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path)
            .map_err(|source| StateFileError::Io { path: path.to_owned(), source })?;
        parse(&bytes, workspace).map_err(|reason| StateFileError::Damaged { reason })
    }

    /// As [`load`](FitCheckpoint::load), from the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<FitCheckpoint, StateFileError> {
        parse(bytes, &Workspace::default()).map_err(|reason| StateFileError::Damaged { reason })
    }
}

fn parse(bytes: &[u8], workspace: &Workspace) -> Result<FitCheckpoint, String> {
    let (body, sum) = bytes.split_last_chunk::<4>().ok_or("too short")?;
    let mut crc = Crc::new();
    crc.update(body);
    if crc.sum() != u32::from_le_bytes(*sum) {
        return Err("its checksum is wrong: it is damaged or was cut short".to_owned());
    }
    let (text, tensors) = decode(body, KEY)?;
    let header: CheckpointHeader =
        serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let mut state = FitCheckpoint { header, tall: Default::default(), small: Default::default() };
    for (name, tensor) in tensors.iter() {
        let fail = |reason: String| format!("tensor `{name}`: {reason}");
        match name.strip_prefix(SMALL) {
            Some(name) => {
                let values = read_f64s(&tensor).map_err(fail)?;
                state.small.insert(name.to_owned(), values);
            }
            None => {
                let numbers = read_numbers(&tensor, workspace).map_err(fail)?;
                state.tall.insert(name.to_owned(), numbers);
            }
        }
    }
    Ok(state)
}
