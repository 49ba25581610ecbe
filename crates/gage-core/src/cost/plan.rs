//! What a fit will cost, before it runs.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::graph::Graph;
use crate::model::LENGTH_PROBES;
use crate::params::{CheckedParams, specs};
use crate::preset_selection::resolve_for_plan;
use crate::views::{Views, explicit_gram_bytes};

/// Cost of a planned fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Nodes.
    pub nodes: usize,
    /// Views.
    pub views: usize,
    /// Columns of the model.
    pub columns: usize,
    /// Columns of the basis, at most.
    pub basis_width: usize,
    /// Passes over each view, at most.
    pub passes: usize,
    /// Bytes of the blocks the caller holds.
    pub input_bytes: usize,
    /// Bytes of transposes, dense copies and factors that the views keep.
    pub view_bytes: usize,
    /// Bytes of tall blocks at the fullest moment.
    pub work_bytes: usize,
    /// Multiply-adds of all passes.
    pub pass_flops: f64,
    /// Multiply-adds of the tall dense algebra.
    pub dense_flops: f64,
}

impl Plan {
    /// Peak memory: input, what the views keep, and tall blocks.
    pub fn peak_bytes(&self) -> usize {
        self.input_bytes + self.view_bytes + self.work_bytes
    }
}

/// Estimates a fit. Builds the views (transposes and diagonals) to measure them, but does not run anything.
pub fn plan(graph: &Graph, params: &CheckedParams) -> Result<Plan, Error> {
    let specs = specs(graph, &resolve_for_plan(graph, params))?;
    Ok(plan_of(graph, &Views::build(graph, &specs, params.precision)?, params))
}

/// The plan for views that were built.
pub(crate) fn plan_of(graph: &Graph, views: &Views, params: &CheckedParams) -> Plan {
    let nodes = views.nodes();
    let columns = params.dimension.most().min(nodes);
    let number = params.precision.bytes();
    let direct = nodes <= params.basis.direct_nodes;
    let width = if direct { nodes } else { params.basis.width(columns, nodes) };
    let block = |rows: usize, cols: usize| rows * cols * number;
    let sizes: Vec<usize> = views.views().iter().map(|view| view.cols()).collect();
    let projections: usize = sizes.iter().map(|&cols| block(cols, width)).sum();
    let scratch = views
        .views()
        .iter()
        .map(|view| block(nodes, width) * view.operator.scratch_blocks())
        .max()
        .unwrap_or(0);
    let largest = sizes.iter().map(|&cols| block(cols, columns)).max().unwrap_or(0);
    // The basis: V, all B_k (which are transformed where they are), scratch of one application.
    let iterating = block(nodes, width) + projections + scratch;
    // At the end: V and, where something needs them, B_k, and the model-sized products made from them, one after the other (a
    // product may lie in the larger memory of the B_k before it).
    let model: usize = sizes.iter().map(|&cols| block(cols, columns)).sum::<usize>();
    let kept = if params.loadings || params.refine.is_some() { projections + largest } else { 0 };
    let finishing = block(nodes, width) + kept + block(nodes, columns);
    let refining = params.refine.map_or(0, |_| {
        5 * block(nodes, columns) + 3 * model + if scratch > 0 { block(nodes, columns) } else { 0 }
    });
    let smoothed = views.views().iter().filter(|v| v.operator.propagation.is_some()).count();
    // Tables for new nodes, and the probes that measure the lengths of rows; none without a model to keep.
    let probes = size_of::<f64>() * LENGTH_PROBES * 2 * nodes;
    let smoothing = if smoothed > 0 { scratch } else { 0 };
    let tables = if params.loadings {
        block(nodes, columns) * (1 + smoothed) + projections + probes + smoothing
    } else {
        0
    };
    let form = params.explicit_gram_columns(nodes);
    let explicit = form.map_or(0, |columns| explicit_gram_bytes(views.views(), columns));
    let work = [iterating, finishing, refining, tables].into_iter().max().unwrap_or(0);
    let entries: f64 = graph.blocks().iter().map(|block| block.matrix.nnz() as f64).sum();
    let passes = params.planned_passes(nodes);
    let blocks = params.basis.planned_widths(sizes.len(), columns, nodes);
    let in_basis = if direct { nodes } else { 2 * blocks.iter().sum::<usize>() };
    let squares: usize = blocks.iter().map(|b| b * b).sum();
    let sweeps = params.refine.map_or(0, |refine| refine.max_sweeps);
    // A Gram matrix and an update of the block and of every projection.
    let dense = 1.5 * nodes as f64 + sizes.iter().map(|&c| 1.5 * c as f64).sum::<f64>();
    Plan {
        nodes,
        views: views.views().len(),
        columns,
        basis_width: width,
        passes,
        input_bytes: graph.blocks().iter().map(|block| block.matrix.bytes()).sum::<usize>()
            + graph.nodes().bytes(),
        view_bytes: views.extra_bytes() + explicit,
        work_bytes: work,
        pass_flops: entries * (in_basis + 2 * sweeps * columns) as f64,
        dense_flops: dense * (squares + sweeps * columns * columns) as f64,
    }
}
