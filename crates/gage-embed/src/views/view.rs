//! The views of a graph, built.

use crate::graph::{Graph, Mask};
use crate::linalg::{LocalReducer, Precision, Reducer};

use super::build::Builder;
use super::error::ViewError;
use super::operator::Operator;
use super::recipe::Recipe;
use super::restrict::restrict;
use super::spec::{Transform, ViewSpec};

/// One view of the nodes: an operator with one row per node.
#[derive(Clone, Debug)]
pub struct View {
    /// Name.
    pub name: String,
    /// Weight in the loss.
    pub weight: f64,
    /// Share in the embedding, as specified.
    pub share: f64,
    pub(crate) uses_links: bool,
    pub(crate) columns_are_nodes: bool,
    pub(crate) observed: Option<Mask>,
    pub(crate) operator: Operator,
    pub(crate) recipe: Recipe,
}

impl View {
    /// Whether links take part in this view (as rows, or by smoothing).
    pub fn uses_links(&self) -> bool {
        self.uses_links
    }

    /// What lengths of the view's rows must be multiplied by to be in the units of the data.
    pub(crate) fn data_scale(&self) -> f64 {
        // Every other transform divides the scale of the data away.
        if self.recipe.transform == Transform::Raw { self.recipe.scale } else { 1.0 }
    }

    /// Nodes this view observes; `None` when all.
    pub fn observed(&self) -> Option<&Mask> {
        self.observed.as_ref()
    }

    /// Number of columns of the view's matrix.
    pub fn cols(&self) -> usize {
        self.operator.cols
    }
}

/// The views of one graph.
#[derive(Clone, Debug)]
pub struct Views {
    nodes: usize,
    views: Vec<View>,
    blind: Vec<usize>,
    /// One number per node that belongs to its id.
    node_keys: Vec<u64>,
}

impl Views {
    /// Builds one view per specification, in order.
    pub fn build(
        graph: &Graph,
        specs: &[ViewSpec],
        precision: Precision,
    ) -> Result<Views, ViewError> {
        Views::build_rows(graph, specs, precision, &LocalReducer)
    }

    /// As [`build`](Views::build), keeping only the rows of this worker.
    pub fn build_rows(
        graph: &Graph,
        specs: &[ViewSpec],
        precision: Precision,
        reducer: &dyn Reducer,
    ) -> Result<Views, ViewError> {
        if specs.is_empty() {
            return Err(ViewError::NoView { blocks: graph.blocks().len() });
        }
        let mut builder = Builder::new(graph, precision);
        let mut views = Vec::with_capacity(specs.len());
        for spec in specs {
            views.push(builder.view(spec)?);
        }
        let nodes = graph.nodes().len();
        let blind = (0..nodes)
            .filter(|&node| {
                views.iter().all(|v| v.observed.as_ref().is_some_and(|m| !m.contains(node)))
            })
            .collect();
        let local = reducer.local_rows(nodes);
        if local != (0..nodes) {
            for view in &mut views {
                restrict(view, local.clone())?;
            }
        }
        let node_keys = (0..nodes).map(|node| graph.nodes().key(node)).collect();
        Ok(Views { nodes, views, blind, node_keys })
    }

    /// The views.
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// Number of nodes over all workers.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// One number per node (of all workers) that belongs to its id, not to its position.
    pub(crate) fn node_keys(&self) -> &[u64] {
        &self.node_keys
    }

    /// One view alone.
    pub(crate) fn only(&self, k: usize) -> Views {
        Views { views: vec![self.views[k].clone()], ..self.clone() }
    }

    /// Bytes kept beyond the caller's blocks; transposes shared between views count once.
    pub(crate) fn extra_bytes(&self) -> usize {
        let mut seen = std::collections::HashSet::new();
        let views = self.views.iter().map(|view| view.operator.extra_bytes(&mut seen));
        views.sum::<usize>() + 8 * self.node_keys.len()
    }

    /// Nodes that no view observes: their rows cannot be computed and are flagged.
    pub fn blind_nodes(&self) -> &[usize] {
        &self.blind
    }
}
