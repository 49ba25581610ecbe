//! What tables and links say about nodes a model has not seen, in the columns of the model.

mod attributes;
mod error;
mod links;
mod tables;

pub use error::NewDataError;
pub use tables::{AlignedNewNodes, NewTables, align_new_nodes, fitted_width, is_relation};
