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

pub(crate) use diagonals::{
    degrees, each_entry, inverse_document_frequencies, inverse_or_zero, inverse_row_lengths,
    inverse_row_sums, symmetrised,
};
pub(crate) use totals::Totals;
