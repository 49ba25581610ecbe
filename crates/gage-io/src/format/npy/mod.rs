//! NumPy arrays.

pub(crate) mod matrix;
pub(crate) mod read;
pub(crate) mod write;
