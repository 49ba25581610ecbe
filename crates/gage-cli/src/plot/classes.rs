//! Classes to colour by, in the order of the nodes of a model.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use gage_embed::io::{DatasetSpec, load, read_labels};
use gage_embed::{Labels, Nodes};

/// Reads classes from a file of labels, or from a data set that has them.
pub(super) fn read(path: &Path, nodes: &Nodes) -> Result<Labels> {
    if path.is_dir() {
        let graph = load(&DatasetSpec::at(path))?.graph;
        let labels =
            graph.labels().with_context(|| format!("{}: has no labels", path.display()))?;
        let ids: Vec<String> = graph.nodes().ids().collect();
        return by_id(path, labels, &ids, nodes);
    }
    let table = read_labels(path)?;
    let labels = named(table.labels, path);
    if let Some(ids) = table.ids {
        return by_id(path, &labels, &ids, nodes);
    }
    if labels.len() != nodes.len() {
        bail!(
            "{}: {} labels, but the model has {} nodes; give one label per node in the same order, or ids with labels",
            path.display(),
            labels.len(),
            nodes.len()
        );
    }
    Ok(labels)
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

/// Brings labels of named rows into the order of the nodes.
fn by_id(path: &Path, labels: &Labels, ids: &[String], nodes: &Nodes) -> Result<Labels> {
    let own: Vec<String> = nodes.ids().collect();
    let index: HashMap<&str, usize> = own.iter().map(String::as_str).zip(0..).collect();
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); own.len()];
    let mut hits = 0;
    for (row, id) in ids.iter().enumerate() {
        if let Some(&node) = index.get(id.as_str()) {
            lists[node].extend_from_slice(labels.of(row));
            hits += 1;
        }
    }
    if hits == 0 {
        let first = |ids: &[String]| ids.first().cloned().unwrap_or_default();
        bail!(
            "{}: no label is for a node of the model: its ids look like `{}`, those of the model like `{}`",
            path.display(),
            first(ids),
            first(&own)
        );
    }
    Ok(Labels::from_lists(labels.class_names().to_vec(), lists.into_iter()))
}
