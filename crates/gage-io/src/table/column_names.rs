//! Column names with a meaning, in lower case.

/// Names of a column of ids.
pub const ID_NAMES: [&str; 8] = ["id", "node", "node_id", "nodeid", "key", "name", "index", "ids"];
/// Names of the column with the source of an edge.
pub const SOURCE_NAMES: [&str; 9] =
    ["source", "src", "from", "u", "node1", "id1", "source_id", "start", "citing"];
/// Names of the column with the target of an edge.
pub const TARGET_NAMES: [&str; 9] =
    ["target", "dst", "to", "v", "node2", "id2", "target_id", "end", "cited"];
/// Names of the column with the weight of an edge.
pub const WEIGHT_NAMES: [&str; 6] = ["weight", "weights", "w", "value", "count", "strength"];
/// Names of the column of an attribute table that holds labels.
pub(crate) const LABEL_NAMES: [&str; 2] = ["label", "labels"];
/// Names of the column of labels in a file of labels, where more names are safe.
pub(crate) const LABEL_FILE_NAMES: [&str; 6] =
    ["label", "labels", "class", "category", "group", "y"];
/// Names of the column of ids in a file of labels.
pub(crate) const LABEL_FILE_ID_NAMES: [&str; 6] =
    ["id", "node", "name", "key", "nodeid", "node_id"];
