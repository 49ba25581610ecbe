//! Paths of inputs: a kind may stand before the path, as in `csv:-`.

use std::path::Path;

/// The kinds that may stand before a path; they are the extensions of files.
const KINDS: [&str; 27] = [
    "npy",
    "npz",
    "csr",
    "mtx",
    "mat",
    "csv",
    "tsv",
    "txt",
    "tab",
    "edges",
    "edgelist",
    "cites",
    "content",
    "graphml",
    "gexf",
    "gml",
    "net",
    "json",
    "parquet",
    "pq",
    "arrow",
    "feather",
    "vec",
    "bin",
    "safetensors",
    "gage",
    "h5ad",
];

/// The kind before a path, if there is one, and the path itself. A file whose name begins like a
/// kind is that file.
pub(super) fn split(path: &Path) -> (Option<&str>, &Path) {
    let parts = path.to_str().and_then(|text| text.split_once(':'));
    match parts {
        Some((kind, rest)) if !rest.is_empty() && KINDS.contains(&kind) && !path.exists() => {
            (Some(kind), Path::new(rest))
        }
        _ => (None, path),
    }
}

/// The path of an input, without the kind before it.
pub(crate) fn location(path: &Path) -> &Path {
    split(path).1
}

/// The last extension in lower case, or nothing.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}
