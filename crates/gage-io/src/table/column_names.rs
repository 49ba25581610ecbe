//! Column names with a meaning, in lower case.

/// Names of a column of ids.
pub const ID_NAMES: [&str; 9] =
    ["id", "node", "node_id", "nodeid", "key", "name", "index", "ids", ":id"];
/// Names of the column with the source of an edge.
pub const SOURCE_NAMES: [&str; 10] =
    ["source", "src", "from", "u", "node1", "id1", "source_id", "start", "citing", ":start_id"];
/// Names of the column with the target of an edge.
pub const TARGET_NAMES: [&str; 10] =
    ["target", "dst", "to", "v", "node2", "id2", "target_id", "end", "cited", ":end_id"];
/// Names of the column with the weight of an edge.
pub const WEIGHT_NAMES: [&str; 6] = ["weight", "weights", "w", "value", "count", "strength"];
/// Names of the column with the relation that an edge belongs to.
pub const RELATION_NAMES: [&str; 9] = [
    "type",
    "relation",
    "rel",
    ":type",
    "relationship",
    "edge_type",
    "rel_type",
    "relation_type",
    "predicate",
];
/// Names of the column with the time of an edge.
pub const TIME_NAMES: [&str; 10] = [
    "time",
    "timestamp",
    "date",
    "datetime",
    "ts",
    "year",
    "created_at",
    "when",
    "unixtime",
    "epoch",
];
/// Names of the columns of an attribute table that hold labels, the first that is there.
pub const LABEL_NAMES: [&str; 8] =
    ["label", "labels", ":label", "class", "classes", "y", "target", "ground_truth"];
/// Names of columns that are often what nodes are to be classified by.
pub(crate) const LABEL_LIKE_NAMES: [&str; 10] = [
    "club",
    "community",
    "category",
    "subject",
    "group",
    "outcome",
    "response",
    "diagnosis",
    "species",
    "churn",
];
/// Names of the column of labels in a file of labels, where more names are safe.
pub(crate) const LABEL_FILE_NAMES: [&str; 9] =
    ["label", "labels", "class", "category", "group", "y", "target", "club", "community"];
/// Names of the column of ids in a file of labels.
pub(crate) const LABEL_FILE_ID_NAMES: [&str; 7] =
    ["id", "node", "name", "key", "nodeid", "node_id", ":id"];

/// The name by which the lists here know a column: in lower case, and of names that Neo4j writes
/// (`personId:ID(Person)`, `:START_ID`, `:TYPE`) what follows the colon.
pub(crate) fn known_name(name: &str) -> String {
    const NEO4J: [&str; 5] = [":id", ":start_id", ":end_id", ":type", ":label"];
    let lower = name.trim().to_lowercase();
    let Some(colon) = lower.find(':') else { return lower };
    let meaning = lower[colon..].split('(').next().unwrap_or_default();
    match NEO4J.iter().find(|known| **known == meaning) {
        Some(known) => (*known).to_owned(),
        None => lower,
    }
}

/// Whether a column is called like one of codes, whose size means nothing.
pub(crate) fn is_code(name: &str) -> bool {
    const CODES: [&str; 8] =
        ["zip", "zipcode", "postcode", "postalcode", "plz", "code", "phone", "fips"];
    let lower = name.trim().to_lowercase();
    let last = lower.rsplit(['_', ' ', '-', '.']).next().unwrap_or_default();
    let joined: String = lower.chars().filter(|c| c.is_alphanumeric()).collect();
    CODES.contains(&last) || CODES.contains(&joined.as_str()) || last == "id"
}
