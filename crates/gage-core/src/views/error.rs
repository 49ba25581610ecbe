//! Why views cannot be built.

use thiserror::Error;

use crate::hint::Hint;
use gage_linalg::SparseError;

/// Why a graph and a list of specifications give no views.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ViewError {
    /// No view at all.
    #[error("no view: a fit needs at least one, but the graph has {blocks} blocks")]
    NoView {
        /// number of blocks in the graph
        blocks: usize,
    },
    /// A specification names a block the graph does not have.
    #[error(
        "view `{view}` needs block `{block}`, which the graph does not have (it has: {present})"
    )]
    MissingBlock {
        /// name of the view
        view: String,
        /// name of the block
        block: String,
        /// blocks there are
        present: String,
    },
    /// Links are needed, but the block holds attributes.
    #[error("view `{view}`: block `{block}` is not links (N x N, sparse), but {what} needs links")]
    NotLinks {
        /// name of the view
        view: String,
        /// name of the block
        block: String,
        /// what needs them
        what: &'static str,
    },
    /// Weights and shares must be finite and not negative.
    #[error("view `{view}`: {what} must be a finite number of at least 0, found {value}")]
    BadNumber {
        /// name of the view
        view: String,
        /// weight, share, coefficient
        what: &'static str,
        /// what was given
        value: f64,
    },
    /// A weight at which squares or differences are lost to rounding.
    #[error("view `{view}`: weight must be 0 or a number from 1e-12 to 1e12, found {value}")]
    Weight {
        /// name of the view
        view: String,
        /// what was given
        value: f64,
    },
    /// Two views of one name.
    #[error("two views are called `{view}`")]
    DuplicateView {
        /// the name
        view: String,
    },
    /// A dense block holds an infinite number.
    #[error("block `{block}`, row {row}, column {column}: {value} is not finite")]
    Infinite {
        /// name of the block
        block: String,
        /// row
        row: usize,
        /// column
        column: usize,
        /// the value
        value: f64,
    },
    /// A view without rows: no node is observed.
    #[error("view `{view}` observes no node")]
    NothingObserved {
        /// name of the view
        view: String,
    },
    /// A view's identity source without propagation describes nothing.
    #[error("view `{view}`: an identity source needs a propagation")]
    BareIdentity {
        /// name of the view
        view: String,
    },
    /// Something that needs all rows in one process.
    #[error("view `{view}`: {what} is not possible over several workers")]
    Workers {
        /// name of the view
        view: String,
        /// what needs all rows
        what: &'static str,
    },
    /// Building a derived matrix failed.
    #[error(transparent)]
    Sparse(#[from] SparseError),
}

impl ViewError {
    /// What to do about it, if anything is known.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            ViewError::Infinite { .. } => Some("use NaN for a missing entry".into()),
            ViewError::DuplicateView { .. } => Some("names must differ".into()),
            ViewError::Workers { .. } => Some("fit in one process, or choose other views".into()),
            _ => None,
        }
    }
}
