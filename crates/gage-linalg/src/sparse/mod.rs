//! Sparse matrices in compressed rows.

mod matrix;
mod transpose;

pub use matrix::{SparseError, SparseMatrix, Values};
