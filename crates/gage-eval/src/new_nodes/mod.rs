//! How well rows of new nodes serve a classifier that was trained on fitted rows.

mod experiment;
mod report;
mod rows;

pub use experiment::{NewNodesParams, evaluate_new_nodes};
pub use report::{FoldInReport, KnownData, NewNodesReport, OwnDataReport};
