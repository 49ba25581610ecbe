//! Matrix-free operators and their truncated singular value decomposition.

mod columns;
mod operator;
mod tiled;
mod truncated_svd;

pub(crate) use columns::{concat_columns, normalise_rows, times_columns};
pub(crate) use operator::{Operator, Smoothed, Smoother, Stored, times};
pub(crate) use tiled::Tiled;
pub(crate) use truncated_svd::truncated_svd;
