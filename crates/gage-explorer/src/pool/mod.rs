//! Candidates of every node, re-ranked at any shares of the views.

mod anchors;
mod candidates;
mod file;

pub use anchors::anchors;
pub use candidates::Pool;

pub(crate) use anchors::{anchors_of, unit_rows_at};
pub(crate) use file::{Kept, load, mark, save};
