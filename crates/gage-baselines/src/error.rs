//! Everything that can go wrong.

use gage_embed::Hint;
use gage_linalg::SparseError;
use gage_linalg::memory::OutOfMemory;
use thiserror::Error;

/// Why a method could not embed a graph.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// No method of that name.
    #[error("there is no method `{name}`")]
    UnknownMethod {
        /// what was requested
        name: String,
        /// what there is
        known: String,
    },
    /// The graph has no block of links.
    #[error("method `{method}` needs links, but the graph has none")]
    NeedsLinks {
        /// the method
        method: &'static str,
    },
    /// The graph has no block of attributes.
    #[error("method `{method}` needs attributes, but the graph has none")]
    NeedsAttributes {
        /// the method
        method: &'static str,
    },
    /// The method has no setting of that name.
    #[error("method `{method}` has no variant `{variant}`")]
    UnknownVariant {
        /// the method
        method: String,
        /// what was requested
        variant: String,
        /// what there is
        known: String,
    },
    /// It would take more memory than there is.
    #[error(
        "method `{method}` needs about {:.1} GB of memory, {:.1} GB are available",
        *.needed as f64 / 1e9,
        *.available as f64 / 1e9
    )]
    Memory {
        /// the method
        method: &'static str,
        /// bytes at its peak, beside the graph
        needed: u64,
        /// bytes there are
        available: u64,
    },
    /// No nodes.
    #[error("the graph has no nodes, but an embedding needs at least one")]
    NoNodes,
    /// No columns.
    #[error("dimension 0 is out of range: it must be at least 1")]
    Dimension,
    /// Every number the method came to is zero.
    #[error("method `{method}` found nothing to embed: every row came out as zeros")]
    NothingToEmbed {
        /// the method
        method: &'static str,
    },
    /// A parameter out of its range.
    #[error("parameter `{name}` is {value}, but must be {bound}")]
    Parameter {
        /// its name
        name: &'static str,
        /// what was given
        value: String,
        /// what is allowed
        bound: &'static str,
    },
    /// A number of the input that cannot be squared safely.
    #[error(
        "block `{block}` holds {value}, but numbers must be finite and at most {bound:e} in size"
    )]
    Magnitude {
        /// name of the block
        block: String,
        /// the number
        value: f64,
        /// largest allowed size
        bound: f64,
    },
    /// A computation left the range of numbers.
    #[error("method `{method}` produced a number that is not finite")]
    NotFinite {
        /// the method
        method: &'static str,
    },
    /// The observer stopped the run.
    #[error("cancelled")]
    Cancelled,
    /// Memory ran out.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// A matrix could not be built.
    #[error(transparent)]
    Sparse(#[from] SparseError),
}

impl Error {
    /// What to do about it, if anything is known.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Error::UnknownMethod { known, .. } | Error::UnknownVariant { known, .. } => {
                Some(Hint::OneOf(known.clone()))
            }
            Error::Memory { .. } => Some("request fewer columns, or use another method".into()),
            Error::NeedsLinks { .. } => Some("give a graph of links".into()),
            Error::NeedsAttributes { .. } => {
                Some("give a table of attributes or use `deepwalk`".into())
            }
            Error::Dimension => Some("ask for at least one column".into()),
            Error::NothingToEmbed { .. } => Some("are the links or attributes empty?".into()),
            Error::Magnitude { .. } | Error::NotFinite { .. } => Some(Hint::Rescale),
            Error::OutOfMemory(_) => Some(Hint::LessMemory),
            Error::NoNodes | Error::Parameter { .. } | Error::Cancelled | Error::Sparse(_) => None,
        }
    }
}
