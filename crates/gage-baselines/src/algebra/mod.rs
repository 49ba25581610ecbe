//! Matrix-free operators and their truncated singular value decomposition.

mod operator;
mod tiled;
mod truncated_svd;

pub(crate) use operator::{Operator, Smoothed, Smoother, Stored, times};
pub(crate) use tiled::Tiled;
pub(crate) use truncated_svd::truncated_svd;
