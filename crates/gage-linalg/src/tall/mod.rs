//! Tall dense matrices: one row per node, a few hundred columns.

mod any;
mod dense;
mod matrix;
mod real;
mod row_sums;

pub use any::{AnyTall, AnyTallRef};
pub use dense::{DenseMatrix, DenseValues};
pub use matrix::Tall;
pub use real::{Precision, Real};
pub use row_sums::sum_over_rows;
pub(crate) use row_sums::{ROW_CHUNK, RowChunks, sum_over_runs};
