//! Data of new nodes that do not fit the model.

use thiserror::Error;

use gage_linalg::SparseError;

/// Why data of new nodes do not fit a model, and what to do.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}; {help}")]
pub struct NewDataError {
    /// What does not fit.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl NewDataError {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> NewDataError {
        NewDataError { message: message.into(), help: help.into() }
    }
}

impl From<SparseError> for NewDataError {
    fn from(error: SparseError) -> NewDataError {
        NewDataError::new(error.to_string(), "check the data of the new nodes")
    }
}
