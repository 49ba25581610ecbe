//! Errors of data of new nodes that do not match the model.

use thiserror::Error;

use gage_core::Hint;
use gage_linalg::SparseError;

use crate::error::ReadError;

/// Why data of new nodes do not fit a model.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct NewDataError {
    /// What does not fit.
    pub message: String,
    /// What to do.
    pub hint: Hint,
}

impl NewDataError {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<Hint>) -> NewDataError {
        NewDataError { message: message.into(), hint: hint.into() }
    }
}

impl From<ReadError> for NewDataError {
    fn from(error: ReadError) -> NewDataError {
        NewDataError::new(error.to_string(), error.hint().clone())
    }
}

impl From<SparseError> for NewDataError {
    fn from(error: SparseError) -> NewDataError {
        NewDataError::new(error.to_string(), "check the data of the new nodes")
    }
}
