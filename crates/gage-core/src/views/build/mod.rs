//! From blocks and specifications to operators.

mod base;
mod builder;
mod collection;
mod diagonals;
mod log_affinity;
mod observed;
mod propagation;
mod sampled_columns;
mod totals;

pub use collection::Views;

pub(crate) use diagonals::{each_entry, inverse_or_zero, inverse_row_lengths, inverse_row_sums};
