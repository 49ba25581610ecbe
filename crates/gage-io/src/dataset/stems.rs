//! File stems that name the parts of a data set in a folder.

use std::path::Path;

/// Stems of the main graph, the preferred one first.
pub(crate) const GRAPH: [&str; 3] = ["adj", "edges", "graph"];
/// Stems of the main attributes, the preferred one first.
pub(crate) const ATTRIBUTES: [&str; 2] = ["features", "attributes"];
/// Stem of the labels.
pub(crate) const LABELS: &str = "labels";
/// Stem of the names of the nodes.
pub(crate) const NODES: &str = "nodes";
/// Stem of the names of the attribute columns.
pub(crate) const COLUMNS: &str = "columns";
/// File with the names of the classes.
pub(crate) const META: &str = "meta.json";
/// Folder of further relations and tables.
pub(crate) const VIEWS: &str = "views";
/// Formats of LINQS data sets: attributes and links, whatever their stem.
pub(crate) const LINQS: [&str; 2] = ["content", "cites"];

/// Whether a file of this name in the folder of a data set is, or would be, read as part of it.
pub(crate) fn is_part(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let first = name.split('.').next().unwrap_or_default();
    let single = [LABELS, NODES, COLUMNS, "meta"];
    GRAPH.iter().chain(&ATTRIBUTES).chain(&single).any(|&stem| stem == first)
        || LINQS.iter().any(|format| name.ends_with(&format!(".{format}")))
}
