//! Column names with a meaning, in lower case.

/// Names of a column of ids.
pub(crate) const ID_NAMES: [&str; 8] =
    ["id", "node", "node_id", "nodeid", "key", "name", "index", "ids"];
/// Names of the column with the source of an edge.
pub(crate) const SOURCES: [&str; 9] =
    ["source", "src", "from", "u", "node1", "id1", "source_id", "start", "citing"];
/// Names of the column with the target of an edge.
pub(crate) const TARGETS: [&str; 9] =
    ["target", "dst", "to", "v", "node2", "id2", "target_id", "end", "cited"];
/// Names of the column with the weight of an edge.
pub(crate) const WEIGHTS: [&str; 6] = ["weight", "weights", "w", "value", "count", "strength"];
