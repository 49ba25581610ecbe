//! A common basis for all views, in as few passes over the data as possible.

mod convergence;
mod iteration;

pub(crate) use iteration::{BasisSoFar, BasisTask, Compressed, basis};
