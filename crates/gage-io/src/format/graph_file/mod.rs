//! Graph files: one graph with data of nodes and links, in XML, JSON or text. Each format is a
//! parser that fills a [`builder`], and the builder makes the links and the table of all of them.

mod bounded;
mod builder;
mod gexf;
mod gml;
mod gml_tokens;
mod graphml;
mod node_data;
mod node_link;
mod node_link_parts;
mod node_link_value;
mod pajek;
mod read;
mod tables;
mod xml;

pub(crate) use read::{is_graph_file, read_graph_file_with};
pub use read::{read_graph_file, read_graphml};
pub use tables::GraphFile;
