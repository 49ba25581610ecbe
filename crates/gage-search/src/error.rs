//! Why an index cannot be built or used.

use gage_core::{Artifact, Hint};
use thiserror::Error;

/// Why an index cannot be built or used. The caller knows the path and says it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The file cannot be opened or mapped.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// Something else altogether.
    #[error("is not an index ({reason})")]
    NotAnIndex {
        /// what is wrong
        reason: String,
    },
    /// Written by a newer version.
    #[error("index version {found} is newer than {known}, the newest this program knows")]
    Version {
        /// version in the file
        found: u32,
        /// newest version known
        known: u32,
    },
    /// Bytes are missing, or not what was written.
    #[error("is damaged: {reason}")]
    Damaged {
        /// what is wrong, and where
        reason: String,
    },
    /// Made from another file than the one that is searched.
    #[error("was made from another {what}")]
    Foreign {
        /// what differs
        what: String,
    },
    /// Nothing that could be searched.
    #[error(
        "an index needs at least one row that is not zero, found {rows} rows, all of them zero"
    )]
    Nothing {
        /// rows there are
        rows: usize,
    },
    /// Squares of such numbers leave the range of single precision.
    #[error("the largest number is {largest:e}, too far from 1 for distances in single precision")]
    Range {
        /// the largest absolute number
        largest: f64,
    },
    /// More nodes than positions are kept for.
    #[error("an index holds at most {most} nodes, found {found}")]
    TooMany {
        /// the largest number
        most: usize,
        /// what was given
        found: usize,
    },
}

impl IndexError {
    /// What to do about it.
    pub fn hint(&self) -> Hint {
        match self {
            IndexError::Io(_) => Hint::CheckAccess,
            IndexError::NotAnIndex { .. } => Hint::Expect(Artifact::Index),
            IndexError::Version { .. } => Hint::UPDATE,
            IndexError::Damaged { .. } | IndexError::Foreign { .. } => {
                Hint::Rebuild(Artifact::Index)
            }
            IndexError::Range { .. } => Hint::ExactSearch,
            IndexError::Nothing { .. } | IndexError::TooMany { .. } => Hint::CheckData,
        }
    }

    pub(crate) fn damaged(reason: impl Into<String>) -> IndexError {
        IndexError::Damaged { reason: reason.into() }
    }
}
