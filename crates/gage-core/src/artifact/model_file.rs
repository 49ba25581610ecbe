//! A fitted model as one safetensors file.
//!
//! Tensors hold the arrays. One metadata entry (`gage`) holds parameters, views, info and
//! certificate as JSON. Any safetensors reader can open the file; `docs/formats.md` lists the
//! names. Every shape, index and value is checked on reading.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::graph::TableEncoding;
use crate::hint::{Artifact, Hint};
use crate::model::{Certificate, FitInfo, FittedView};
use crate::params::FitParams;
use crate::views::Recipe;

/// Version of the layout; raised when older programs can no longer read it.
pub(super) const VERSION: u32 = 2;

/// The version that knows no appended nodes. Models without any are written as such.
pub(super) const WITHOUT_APPENDED: u32 = 1;

/// Metadata entry that holds everything that is no tensor.
pub(super) const KEY: &str = "gage";

/// Why a model file could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// The file cannot be opened, read or written.
    #[error("{path}: {source}")]
    Io {
        /// the file
        path: PathBuf,
        /// message of the system
        source: std::io::Error,
    },
    /// Not a safetensors file, or a damaged one.
    #[error("{path}: not a readable model file ({reason})")]
    NotAModel {
        /// the file
        path: PathBuf,
        /// what is wrong
        reason: String,
    },
    /// Written by a newer version.
    #[error("{path}: layout version {found} is newer than {known}, the newest this program knows")]
    Version {
        /// the file
        path: PathBuf,
        /// version in the file
        found: u32,
        /// newest version known
        known: u32,
    },
    /// A tensor is missing, or has a shape or number it must not have.
    #[error("{path}: tensor `{tensor}`: {reason}")]
    Tensor {
        /// the file
        path: PathBuf,
        /// name of the tensor
        tensor: String,
        /// what is wrong
        reason: String,
    },
}

impl ModelFileError {
    /// What to do about it.
    pub fn hint(&self) -> Hint {
        match self {
            ModelFileError::Io { .. } => Hint::CheckAccess,
            ModelFileError::NotAModel { .. } => Hint::Expect(Artifact::Model),
            ModelFileError::Version { .. } => Hint::UPDATE,
            ModelFileError::Tensor { .. } => "the file is damaged or was changed by hand".into(),
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) version: u32,
    pub(super) program: String,
    pub(super) nodes: usize,
    pub(super) params: FitParams,
    pub(super) views: Vec<FittedView>,
    pub(super) info: FitInfo,
    pub(super) certificate: Option<Certificate>,
    pub(super) tables: Option<TablesHeader>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) columns: BTreeMap<String, Vec<String>>,
    // Absent in older files, which lack the encoding of tables.
    #[serde(default)]
    pub(super) encodings: Option<BTreeMap<String, TableEncoding>>,
    #[serde(default)]
    pub(super) relations: Option<BTreeMap<String, bool>>,
    /// How many of the last nodes were appended after the fit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) appended: usize,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) annotations: BTreeMap<String, String>,
    /// Whether the file has a checksum; without it a damaged name of that entry would hide it.
    // Absent in older files, which have none.
    #[serde(default)]
    pub(super) checksum: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Serialize, Deserialize)]
pub(super) struct TablesHeader {
    pub(super) ridge: f64,
    pub(super) views: Vec<TableHeader>,
    // The combinations of blocks that have tables without mean rows of neighbours. Only in older
    // files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) partial: Vec<Vec<String>>,
    // Absent in older files. Older programs do not look for it, and warn that there is no table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) combinations: Vec<CombinationHeader>,
}

/// A combination of blocks that has a table.
#[derive(Serialize, Deserialize)]
pub(super) struct CombinationHeader {
    pub(super) blocks: Vec<String>,
    /// Those of them that are links, by which the mean row of the neighbours is an input.
    pub(super) neighbours: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TableHeader {
    pub(super) recipe: Recipe,
    pub(super) unit: f64,
    pub(super) noise: f64,
    // Absent in older files; new rows then come out a little too short.
    #[serde(default)]
    pub(super) residual: f64,
}
