//! GraphML: nodes, links and their data in XML.

mod parse;
mod read;
mod tables;

pub use read::read_graphml;
pub(crate) use read::read_graphml_with;
pub use tables::GraphMlFile;
