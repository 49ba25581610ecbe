//! NumPy archives.

pub(crate) mod read;
pub(crate) mod write;
mod zip;
