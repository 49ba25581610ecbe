//! Tables and links of new nodes, converted to the rows and columns of a fitted model.

mod attributes;
mod error;
mod links;
mod tables;

pub use error::NewDataError;
pub use tables::{AlignedNewNodes, NewTables, align_new_nodes, fitted_width, is_relation};
