//! NumPy archives.

pub(crate) mod read;
mod zip;
