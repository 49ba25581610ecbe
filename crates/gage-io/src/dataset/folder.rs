//! Finding the files of a data set in a folder, by their stems.

use std::path::{Path, PathBuf};

use crate::dataset::stems;
use crate::error::{Place, ReadError};
use crate::source::{format_extension, stem};

/// The files of a folder that make up a data set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) graph: Option<PathBuf>,
    pub(crate) attributes: Option<PathBuf>,
    pub(crate) columns: Option<PathBuf>,
    pub(crate) labels: Option<PathBuf>,
    pub(crate) nodes: Option<PathBuf>,
    pub(crate) meta: Option<PathBuf>,
    pub(crate) views: Vec<(String, PathBuf)>,
    pub(crate) notes: Vec<String>,
}

/// Formats in order of preference, should a stem occur twice: exact binary forms first.
const PREFERENCE: [&str; 19] = [
    "csr", "npy", "npz", "mtx", "graphml", "gexf", "gml", "net", "json", "parquet", "pq", "csv",
    "tsv", "txt", "tab", "edges", "edgelist", "content", "cites",
];

fn rank(path: &Path) -> Option<usize> {
    let format = format_extension(path);
    PREFERENCE.iter().position(|&known| known == format)
}

/// Lists a folder, sorted by name, so that the result does not depend on the file system.
fn list(folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let io = |source| ReadError::io(folder, Place::File, source);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        paths.push(entry.map_err(io)?.path());
    }
    paths.sort();
    Ok(paths)
}

/// Finds `adj|edges|graph`, `features|attributes`, `labels`, `nodes`, `views/*`, `meta.json`, and
/// LINQS pairs.
pub(crate) fn find(folder: &Path) -> Result<Found, ReadError> {
    let paths = list(folder)?;
    let files: Vec<&PathBuf> = paths.iter().filter(|path| path.is_file()).collect();
    let mut found = Found::default();
    let mut notes = Vec::new();
    let mut pick = |stems: &[&str]| -> Option<PathBuf> {
        let mut matching: Vec<(usize, usize, &PathBuf)> = files
            .iter()
            .filter_map(|path| {
                let stem = stem(path).to_lowercase();
                let by_stem = stems.iter().position(|&wanted| wanted == stem)?;
                Some((by_stem, rank(path)?, *path))
            })
            .collect();
        matching.sort();
        for (_, _, other) in matching.iter().skip(1) {
            // The names of columns are read further down, not left out.
            if stem(other).to_lowercase() != "attributes" {
                notes.push(format!(
                    "{}: left out, {} is read",
                    other.display(),
                    matching[0].2.display()
                ));
            }
        }
        matching.first().map(|best| best.2.clone())
    };
    found.graph = pick(&stems::GRAPH);
    found.attributes = pick(&stems::ATTRIBUTES);
    found.labels = pick(&[stems::LABELS]);
    found.nodes = pick(&[stems::NODES]);
    let by_name = |name: &str| {
        files.iter().find(|p| p.file_name().is_some_and(|n| n == name)).map(|p| (*p).clone())
    };
    let main_is_features =
        found.attributes.as_ref().is_some_and(|p| stem(p).to_lowercase() == "features");
    if main_is_features {
        found.columns = ["attributes.txt", "columns.txt", "features.txt", "attributes.npy"]
            .iter()
            .find_map(|name| by_name(name))
            .filter(|names| found.attributes.as_ref() != Some(names));
    }
    found.meta = by_name(stems::META);
    let by_format = |format: &str| {
        files.iter().find(|path| format_extension(path) == format).map(|path| (*path).clone())
    };
    found.attributes = found.attributes.or_else(|| by_format(stems::LINQS[0]));
    found.graph = found.graph.or_else(|| by_format(stems::LINQS[1]));
    let views = folder.join(stems::VIEWS);
    if views.is_dir() {
        for path in list(&views)?.into_iter().filter(|path| path.is_file()) {
            if rank(&path).is_some() {
                found.views.push((stem(&path), path));
            } else {
                notes.push(format!("{}: left out, its format is not known", path.display()));
            }
        }
    }
    if found.graph.is_none() && found.attributes.is_none() && found.views.is_empty() {
        let names: Vec<String> = paths
            .iter()
            .take(8)
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        let what = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        let found = format!("a folder with {what}");
        let expected =
            "a graph (adj.*, edges.* or graph.*) or attributes (features.* or attributes.*)";
        let remedy = "rename the files, or name them one by one";
        return Err(ReadError::wrong_kind(folder, found, expected, remedy));
    }
    found.notes = notes;
    Ok(found)
}

/// Class names from the `class_names` of a `meta.json`; what cannot be read is said, not fatal.
pub(crate) fn class_names(meta: &Path, notes: &mut Vec<String>) -> Option<Vec<String>> {
    const LONGEST: u64 = 1 << 24;
    let small = std::fs::metadata(meta).is_ok_and(|meta| meta.len() <= LONGEST);
    let text = std::fs::read_to_string(meta).ok().filter(|_| small);
    let parsed = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let Some(parsed) = parsed else {
        notes.push(format!("{}: left out, it is not readable JSON", meta.display()));
        return None;
    };
    let names = parsed.get("class_names")?.as_array()?;
    Some(names.iter().map(|name| name.as_str().map_or(name.to_string(), str::to_owned)).collect())
}
