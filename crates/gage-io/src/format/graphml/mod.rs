//! GraphML: nodes, links and their data in XML.

mod parse;
mod read;
mod tables;

pub use read::read_graphml;
pub use tables::GraphMlFile;
