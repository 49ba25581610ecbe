//! Sparse matrices in compressed rows.

mod compact;
mod construct;
mod error;
mod matrix;
mod row;
mod transpose;
mod values;

pub use error::SparseError;
pub use matrix::SparseMatrix;
pub use values::Values;
