//! Builds the graph of a data set from its parts.

use gage_core::graph::{Graph, GraphError, Labels};

use crate::dataset::align::Aligner;
use crate::dataset::node_order::node_order;
use crate::dataset::parts::Parts;
use crate::dataset::spec::{Dataset, DatasetSpec};
use crate::error::{Origin, Place, ReadError};

pub(crate) fn graph_of_parts(mut parts: Parts, spec: &DatasetSpec) -> Result<Dataset, ReadError> {
    let readings = parts.readings();
    parts.split_relations();
    parts.forget_ids(spec.join.align);
    parts.settle_ids(spec.join.spelling)?;
    let nodes = node_order(&mut parts, spec.join.align)?;
    let mut aligner = Aligner::new(nodes, spec, &mut parts);
    let mut graph = Graph::new(aligner.nodes.clone());
    for part in std::mem::take(&mut parts.links) {
        let origin = part.origin.clone();
        let block = aligner.links(part)?;
        graph = graph.with_block(block).map_err(|error| misfit(&origin, &error))?;
    }
    let mut own_labels: Option<(Origin, Labels)> = None;
    for part in std::mem::take(&mut parts.attributes) {
        let origin = part.origin.clone();
        let (block, labels) = aligner.attributes(part)?;
        own_labels = own_labels.or(labels.map(|labels| (origin.clone(), labels)));
        graph = graph.with_block(block).map_err(|error| misfit(&origin, &error))?;
    }
    if graph.blocks().is_empty() {
        let nothing = || Origin::Memory("the data set".to_owned());
        let origin = spec.source.as_ref().map_or_else(nothing, Origin::from);
        return Err(ReadError::missing(origin, "a graph or attributes"));
    }
    let labels = match parts.labels.take() {
        Some(part) => {
            let origin = part.origin.clone();
            let rows = part.value.labels.len();
            let (labels, unknown) = aligner.labels(part)?;
            if let Some((count, first)) = unknown {
                let text = format!("{count} of {rows} ids have no node, first `{first}`");
                let text = format!("{origin}: {text}; their labels were left out");
                aligner.warn(text);
            }
            Some((origin, labels))
        }
        None => own_labels,
    };
    if let Some((origin, mut labels)) = labels {
        if let Some(names) = &parts.class_names
            && names.len() >= labels.class_names().len()
        {
            labels = labels.rename(names);
        }
        graph = graph.with_labels(labels).map_err(|error| misfit(&origin, &error))?;
    }
    let (info, warnings) = aligner.finish();
    Ok(Dataset { graph, info, warnings, readings })
}

fn misfit(origin: &Origin, error: &GraphError) -> ReadError {
    let remedy = "give every file one row per node, in one order, under its own name";
    ReadError::malformed(origin, Place::File, error.to_string(), "files that fit together", remedy)
}
