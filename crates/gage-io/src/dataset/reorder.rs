//! A graph with its nodes in the order of a model, or labels in that of an embedding.

use gage_core::Hint;
use gage_core::graph::{Block, BlockKind, Graph, Labels, Mask, Matrix, Nodes};

use crate::dataset::align::Aligner;
use crate::dataset::join_rule::JoinRule;
use crate::dataset::parts::{Part, Parts};
use crate::dataset::reindex::{Alignment, align_ids, reindex_links, reindex_rows};
use crate::dataset::spec::DatasetSpec;
use crate::dataset::spelling::{IdPart, Ids, settle};
use crate::error::{Origin, ReadError};
use crate::labels::LabelTable;
use crate::note::Note;

/// The same graph with its nodes in the order of `nodes`: joined by id where both have names, in
/// their order otherwise. `origin` is what the nodes of the graph are of, for messages. Labels are
/// left out.
pub fn reorder(
    graph: Graph,
    nodes: &Nodes,
    origin: impl Into<Origin>,
    rule: JoinRule,
) -> Result<Graph, ReadError> {
    let (origin, own) = (origin.into(), graph.nodes());
    let to = Origin::Memory("the model".to_owned());
    if own.len() != nodes.len() {
        let found = format!("{} nodes in the first and {} in the second", own.len(), nodes.len());
        return Err(ReadError::mismatch(&origin, &to, found, "the same nodes", Hint::FittedData));
    }
    if own == nodes || !own.is_named() || !nodes.is_named() {
        return Ok(graph);
    }
    let (mut theirs, mut ours) = (nodes.clone(), own.clone());
    let ids = [(&to, &mut theirs), (&origin, &mut ours)];
    settle(&mut ids.map(|(of, ids)| IdPart::new(of, Ids::Rows(ids))), rule.spelling)?;
    let positions = match align_ids(&ours, &theirs) {
        Alignment::All(positions) => positions,
        Alignment::Unknown { id, count } => {
            let total = own.len();
            let found =
                format!("{count} of {total} ids of the first that the second does not have");
            let found = format!("{found}, first `{id}`");
            let expected = "the same ids";
            return Err(ReadError::mismatch(&origin, &to, found, expected, Hint::FittedData));
        }
    };
    let count = nodes.len();
    let mut out = Graph::new(nodes.clone());
    for block in graph.blocks() {
        let matrix = match (&block.kind, block.matrix.clone()) {
            (BlockKind::Links { .. }, Matrix::Sparse(links)) => {
                reindex_links(&origin, links, &positions, count)?.into()
            }
            (_, matrix) => reindex_rows(&origin, matrix, &positions, count)?,
        };
        let observed = block.observed.as_ref().map(|mask| {
            let mut flags = vec![false; count];
            positions.iter().enumerate().for_each(|(row, &at)| {
                flags[at as usize] = mask.contains(row);
            });
            Mask::new(flags)
        });
        let block = Block { matrix, observed, ..block.clone() };
        let misfit = |error: gage_core::graph::GraphError| {
            let found = error.to_string();
            ReadError::mismatch(&origin, &to, found, "the same nodes", Hint::FittedData)
        };
        out = out.with_block(block).map_err(misfit)?;
    }
    Ok(out)
}

/// Labels in the order of nodes, and how they were joined.
#[derive(Clone, Debug)]
pub struct AlignedLabels {
    /// One list of classes per node.
    pub labels: Labels,
    /// Ids of labels that no node has: how many, and the first.
    pub unknown: Option<(usize, String)>,
    /// How they were understood.
    pub info: Vec<Note>,
}

/// Joins labels with nodes by the rule for data sets. `to` is what the nodes are of, for messages.
pub fn align_labels(
    nodes: &Nodes,
    to: impl Into<Origin>,
    table: LabelTable,
    origin: impl Into<Origin>,
    rule: JoinRule,
) -> Result<AlignedLabels, ReadError> {
    let labels = Part { name: "labels".to_owned(), origin: origin.into(), value: table };
    let known = Part { name: "nodes".to_owned(), origin: to.into(), value: nodes.clone() };
    let mut parts = Parts { nodes: Some(known), labels: Some(labels), ..Parts::default() };
    parts.forget_ids(rule.align);
    parts.settle_ids(rule.spelling)?;
    let spec = DatasetSpec { join: rule, ..DatasetSpec::default() };
    let mut aligner = Aligner::new(nodes.clone(), &spec, &mut parts);
    if let Some(part) = &parts.nodes {
        // The names may have another spelling now.
        aligner.nodes = part.value.clone();
    }
    let mut joined =
        AlignedLabels { labels: Labels::from_numbers(&[]), unknown: None, info: Vec::new() };
    if let Some(labels) = parts.labels.take() {
        (joined.labels, joined.unknown) = aligner.labels(labels)?;
    }
    joined.info = aligner.finish().0;
    Ok(joined)
}
