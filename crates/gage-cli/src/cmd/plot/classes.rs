//! Classes to colour by, in the order of the nodes of a model.

use std::path::Path;

use gage_embed::{Labels, Nodes};

use crate::labels;
use crate::session::Session;

/// Reads classes from a file of labels, or from a data set that has them. Labels of nodes that the
/// model does not have are left out.
pub(super) fn read(path: &Path, nodes: &Nodes, session: &Session) -> anyhow::Result<Labels> {
    let labels = labels::read(path, nodes, true, session)?.labels;
    Ok(if path.is_dir() { labels } else { named(labels, path) })
}

/// Names of numbered classes from a `meta.json` beside the labels, as data set folders have it.
fn named(labels: Labels, path: &Path) -> Labels {
    let text = std::fs::read_to_string(path.with_file_name("meta.json")).ok();
    let meta = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let names: Vec<String> = meta
        .as_ref()
        .and_then(|meta| meta.get("class_names")?.as_array())
        .map(|list| list.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect())
        .unwrap_or_default();
    let numbered =
        labels.class_names().iter().enumerate().all(|(at, name)| *name == at.to_string());
    if numbered && names.len() >= labels.class_names().len() {
        labels.rename(&names)
    } else {
        labels
    }
}
