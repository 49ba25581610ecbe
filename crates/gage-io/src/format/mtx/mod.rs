//! Matrix Market files.

pub(crate) mod read;
pub(crate) mod write;
