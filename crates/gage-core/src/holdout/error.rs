//! Errors of hold-out and link scores.

use thiserror::Error;

use crate::hint::Hint;

/// Why an embedding cannot be evaluated as requested.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum EvalError {
    /// Two things that describe the same items differ in number.
    #[error("{left} {left_name}, but {right} {right_name}")]
    Lengths {
        /// what is counted first
        left_name: &'static str,
        /// its number
        left: usize,
        /// what is counted second
        right_name: &'static str,
        /// its number
        right: usize,
    },
    /// A row number points outside the embedding.
    #[error("row {row} is out of range, the embedding has {rows} rows")]
    RowRange {
        /// the row requested
        row: u32,
        /// number of rows
        rows: usize,
    },
    /// The embedding holds a number that cannot be computed with.
    #[error("row {row}, column {column}: {value} is not a finite number of size at most {bound:e}")]
    NotFinite {
        /// row of the embedding
        row: usize,
        /// column of the embedding
        column: usize,
        /// the number
        value: f64,
        /// largest allowed magnitude
        bound: f64,
    },
    /// A score is NaN or infinite.
    #[error("score {at} is {value}")]
    BadScore {
        /// position of the score
        at: usize,
        /// its value
        value: f64,
    },
    /// A training node carries no label.
    #[error("node {row} has no label, so nothing can be learned from it")]
    Unlabelled {
        /// the node
        row: u32,
    },
    /// A node carries several labels where one is needed.
    #[error("node {row} has {found} labels, but here each node has at most one")]
    SeveralLabels {
        /// the node
        row: u32,
        /// how many labels it has
        found: usize,
    },
    /// A parameter lies outside its bounds.
    #[error("{name} = {value} is out of bounds: it must be {bound}")]
    Parameter {
        /// name of the parameter
        name: &'static str,
        /// its value
        value: f64,
        /// what is allowed
        bound: &'static str,
    },
    /// There is not enough of something.
    #[error("{what}: at least {needed} needed, {found} found")]
    TooFew {
        /// what there is too little of
        what: &'static str,
        /// smallest number that works
        needed: usize,
        /// number found
        found: usize,
    },
    /// The data has another width than the model.
    #[error("the embedding has {found} columns, the model was trained on {expected}")]
    Width {
        /// columns trained on
        expected: usize,
        /// columns given
        found: usize,
    },
    /// A graph could not be built.
    #[error(transparent)]
    Sparse(#[from] gage_linalg::SparseError),
    /// There is no such block of links.
    #[error("the graph has no block of links that is {wanted} (its blocks of links: {known})")]
    NoLinks {
        /// what was requested
        wanted: String,
        /// what there is
        known: String,
    },
    /// Clusters cannot be counted.
    #[error("without labels nothing says how many clusters there are")]
    NoClusterCount,
    /// An embedding could not be made.
    #[error(transparent)]
    Fit(#[from] crate::error::Error),
    /// The observer stopped the run.
    #[error("the evaluation was cancelled")]
    Cancelled,
    /// A graph is not square.
    #[error("links have {rows} rows and {columns} columns")]
    NotSquare {
        /// number of rows
        rows: usize,
        /// number of columns
        columns: usize,
    },
}

impl EvalError {
    /// What to do about it, if anything is known.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            EvalError::Lengths { .. } => Some("there must be as many of both".into()),
            EvalError::BadScore { .. } => Some("scores must be finite".into()),
            EvalError::SeveralLabels { .. } => {
                Some("clusters are compared with one class per node; give such labels".into())
            }
            EvalError::TooFew { .. } => Some(Hint::CheckLabels),
            EvalError::NoLinks { .. } => Some(Hint::ChooseLinks),
            EvalError::NoClusterCount => Some(Hint::ClusterCount),
            EvalError::NotSquare { .. } => Some("an adjacency is square".into()),
            EvalError::Fit(error) => error.hint(),
            EvalError::RowRange { .. }
            | EvalError::NotFinite { .. }
            | EvalError::Unlabelled { .. }
            | EvalError::Parameter { .. }
            | EvalError::Width { .. }
            | EvalError::Sparse(_)
            | EvalError::Cancelled => None,
        }
    }
}

/// Largest magnitude of an embedding entry; squares of anything below stay far from overflow.
pub const MAX_MAGNITUDE: f64 = 1e30;

/// Checks that two counts agree.
pub fn same_length(
    left_name: &'static str,
    left: usize,
    right_name: &'static str,
    right: usize,
) -> Result<(), EvalError> {
    if left == right {
        Ok(())
    } else {
        Err(EvalError::Lengths { left_name, left, right_name, right })
    }
}

/// Checks that there is at least one of everything named.
pub fn at_least_one(counts: &[(&'static str, usize)]) -> Result<(), EvalError> {
    match counts.iter().find(|(_, found)| *found == 0) {
        Some(&(what, found)) => Err(EvalError::TooFew { what, needed: 1, found }),
        None => Ok(()),
    }
}

/// Checks that every given row exists and holds usable numbers. Cost O(rows * columns).
pub fn check_rows<T: gage_linalg::Real>(
    embedding: &gage_linalg::Tall<T>,
    rows: &[u32],
) -> Result<(), EvalError> {
    use rayon::prelude::*;
    let check = |&row: &u32| {
        if row as usize >= embedding.rows() {
            return Some(EvalError::RowRange { row, rows: embedding.rows() });
        }
        let values = embedding.row(row as usize);
        // NaN fails every comparison, so this also catches it.
        let fine = |value: f64| value.abs() <= MAX_MAGNITUDE;
        let column = values.iter().position(|value| !fine(value.to_f64()))?;
        let (value, row) = (values[column].to_f64(), row as usize);
        Some(EvalError::NotFinite { row, column, value, bound: MAX_MAGNITUDE })
    };
    rows.par_iter().with_min_len(64).find_map_first(check).map_or(Ok(()), Err)
}
