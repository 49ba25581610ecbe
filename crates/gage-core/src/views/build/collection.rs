//! The views of a graph, built.

use crate::graph::Graph;
use crate::views::ViewError;
use crate::views::operator::View;
use crate::views::spec::ViewSpec;
use gage_linalg::workers::Partition;
use gage_linalg::{LocalReducer, Precision, Reducer, Workspace};

use super::builder::Builder;

/// The views of one graph.
#[derive(Clone, Debug)]
pub struct Views {
    rows: Partition,
    views: Vec<View>,
    unobserved: Vec<usize>,
    /// Keys of the random streams of the nodes; each depends on the id of its node only.
    node_keys: Vec<u64>,
}

impl Views {
    /// Builds one view per specification, in order.
    pub fn build(
        graph: &Graph,
        specs: &[ViewSpec],
        precision: Precision,
    ) -> Result<Views, ViewError> {
        Views::build_rows(graph, specs, precision, &LocalReducer, &Workspace::default())
    }

    /// As [`build`](Views::build), of the graph of one of several workers, in a workspace.
    pub fn build_rows(
        graph: &Graph,
        specs: &[ViewSpec],
        precision: Precision,
        reducer: &dyn Reducer,
        workspace: &Workspace,
    ) -> Result<Views, ViewError> {
        if specs.is_empty() {
            return Err(ViewError::NoView { blocks: graph.blocks().len() });
        }
        let mut builder = Builder::new(graph, precision, reducer, workspace);
        let mut views = Vec::with_capacity(specs.len());
        for spec in specs {
            views.push(builder.view(spec)?);
        }
        let nodes = graph.nodes().len();
        let rows = builder.rows().clone();
        let lacks_all = |node: &usize| {
            views.iter().all(|v| v.observed.as_ref().is_some_and(|m| !m.contains(*node)))
        };
        let unobserved: Vec<u64> =
            (0..nodes).filter(lacks_all).map(|node| (rows.own().start + node) as u64).collect();
        let unobserved = reducer.gather_u64(&unobserved).into_iter().map(|n| n as usize).collect();
        let node_keys = (0..nodes).map(|node| graph.nodes().key(node)).collect();
        Ok(Views { rows, views, unobserved, node_keys })
    }

    /// The views.
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// Number of nodes over all workers.
    pub fn nodes(&self) -> usize {
        self.rows.all()
    }

    /// The nodes of every worker.
    pub(crate) fn rows(&self) -> &Partition {
        &self.rows
    }

    /// One number per node of this worker that belongs to its id, not to its position.
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

    /// Nodes (of all workers) that no view observes. Their rows are zero.
    pub fn unobserved_nodes(&self) -> &[usize] {
        &self.unobserved
    }
}
