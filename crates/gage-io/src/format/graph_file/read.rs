//! Which parser a graph file needs, by its extension.

use std::path::Path;

use crate::error::ReadError;
use crate::reading::ColumnOptions;
use crate::source::format_extension;

use super::{GraphFile, gexf, gml, graphml, node_link, pajek};

/// Whether files of this extension hold a graph with data of its nodes.
pub(crate) fn is_graph_file(extension: &str) -> bool {
    matches!(extension, "graphml" | "gexf" | "gml" | "json" | "net")
}

/// Reads a graph file (perhaps `.gz` or `.zst`): GraphML (`.graphml`), GEXF (`.gexf`), GML
/// (`.gml`), Pajek (`.net`) or node-link JSON (`.json`), as NetworkX, Gephi, igraph, d3 and
/// Cytoscape write them.
///
/// Data of nodes become an attribute table by the rules of text tables. Data of links called
/// `weight` (or another name of weights) are their weights; other data of links are left out, which
/// is said. Links have a direction if the file says so.
///
/// ```
/// use gage_embed::io::read_graph_file;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("g.json");
/// let text = r#"{"directed": false, "nodes": [{"id": "a"}, {"id": "b"}],
///                "links": [{"source": "a", "target": "b", "weight": 2}]}"#;
/// std::fs::write(&path, text)?;
/// let file = read_graph_file(&path)?;
/// assert_eq!(file.links.links.row(0).collect::<Vec<_>>(), [(1, 2.0)]);
/// assert!(file.attributes.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_graph_file(path: impl AsRef<Path>) -> Result<GraphFile, ReadError> {
    read_graph_file_with(path.as_ref(), &ColumnOptions::default())
}

/// As [`read_graph_file`], with what is said about data of nodes.
pub(crate) fn read_graph_file_with(
    path: &Path,
    options: &ColumnOptions,
) -> Result<GraphFile, ReadError> {
    match format_extension(path).as_str() {
        "gexf" => gexf::read(path, options),
        "gml" => gml::read(path, options),
        "json" => node_link::read(path, options),
        "net" => pajek::read(path, options),
        _ => graphml::read(path, options),
    }
}

/// Reads a GraphML file, whatever its extension: one graph with its nodes and links. Nested graphs
/// and hyperedges are refused.
pub fn read_graphml(path: impl AsRef<Path>) -> Result<GraphFile, ReadError> {
    graphml::read(path.as_ref(), &ColumnOptions::default())
}
