//! The graph of the parts of a data set.

use std::path::{Path, PathBuf};

use gage_core::graph::{Graph, GraphError, Labels};

use crate::dataset::align::Placer;
use crate::dataset::node_order::find_nodes;
use crate::dataset::parts::Parts;
use crate::dataset::spec::{Dataset, DatasetSpec};
use crate::error::{Place, ReadError};

pub(crate) fn put_together(mut parts: Parts, spec: &DatasetSpec) -> Result<Dataset, ReadError> {
    let nodes = find_nodes(&mut parts)?;
    let mut placer = Placer::new(nodes, spec, &mut parts);
    let mut graph = Graph::new(placer.nodes.clone());
    for part in std::mem::take(&mut parts.links) {
        let path = part.path.clone();
        let block = placer.links(part)?;
        graph = graph.with_block(block).map_err(|error| misfit(&path, &error))?;
    }
    let mut own_labels: Option<Labels> = None;
    for part in std::mem::take(&mut parts.attributes) {
        let path = part.path.clone();
        let (block, labels) = placer.attributes(part)?;
        own_labels = own_labels.or(labels);
        graph = graph.with_block(block).map_err(|error| misfit(&path, &error))?;
    }
    if graph.blocks().is_empty() {
        let path = spec.source.clone().unwrap_or_default();
        return Err(ReadError::Missing { path, expected: "a graph or attributes".into() });
    }
    let labels = match parts.labels.take() {
        Some(part) => Some((part.path.clone(), placer.labels(part)?)),
        None => own_labels.map(|labels| (PathBuf::new(), labels)),
    };
    if let Some((path, mut labels)) = labels {
        if let Some(names) = &parts.class_names
            && names.len() >= labels.class_names().len()
        {
            labels = labels.rename(names);
        }
        graph = graph.with_labels(labels).map_err(|error| misfit(&path, &error))?;
    }
    let (info, warnings) = placer.finish();
    Ok(Dataset { graph, info, warnings })
}

fn misfit(path: &Path, error: &GraphError) -> ReadError {
    let remedy = "give every file one row per node, in one order, under its own name";
    ReadError::malformed(path, Place::File, error.to_string(), "files that fit together", remedy)
}
