//! The sizes that costs depend on.

use std::collections::BTreeSet;

use crate::graph::Graph;
use crate::params::{BasisParams, FitParams};
use crate::views::Views;

/// The sizes of a fit.
#[derive(Clone, Debug)]
pub(crate) struct ProblemSize {
    pub(crate) nodes: usize,
    /// Columns of the model, at most.
    pub(crate) columns: usize,
    /// Columns of every view.
    pub(crate) view_columns: Vec<usize>,
    /// Blocks of rows that one application of a view needs besides input and output, at most.
    pub(crate) scratch_blocks: usize,
    /// Views that are smoothed over links.
    pub(crate) smoothed_views: usize,
    /// Bytes of the blocks of the graph.
    pub(crate) input_bytes: usize,
    /// Nonzeros of the blocks of the graph.
    pub(crate) nonzeros: usize,
    /// Blocks that take part in the views.
    pub(crate) blocks: usize,
    /// Bytes of a number in a tall block.
    number: usize,
}

impl ProblemSize {
    pub(crate) fn new(graph: &Graph, views: &Views, params: &FitParams) -> ProblemSize {
        let matrices = graph.blocks().iter().map(|block| &block.matrix);
        let (nodes, views) = (views.nodes(), views.views());
        let scratch = views.iter().map(|view| view.operator.scratch_blocks());
        ProblemSize {
            nodes,
            columns: params.dimension.most().min(nodes),
            view_columns: views.iter().map(|view| view.cols()).collect(),
            scratch_blocks: scratch.max().unwrap_or(0),
            input_bytes: matrices.clone().map(|matrix| matrix.bytes()).sum(),
            nonzeros: matrices.map(|matrix| matrix.nnz()).sum(),
            blocks: views
                .iter()
                .flat_map(|view| view.recipe.blocks())
                .collect::<BTreeSet<_>>()
                .len(),
            smoothed_views: views.iter().filter(|v| v.operator.propagation.is_some()).count(),
            number: params.precision.bytes(),
        }
    }

    /// Columns of the widest block of the basis.
    pub(crate) fn basis_width(&self, basis: &BasisParams) -> usize {
        if basis.is_direct(self.nodes) { self.nodes } else { basis.width(self.columns, self.nodes) }
    }

    /// Bytes of a tall block.
    pub(crate) fn block(&self, rows: usize, cols: usize) -> usize {
        rows * cols * self.number
    }

    /// Bytes of one projection for every view, so many columns wide.
    pub(crate) fn projections(&self, width: usize) -> usize {
        self.block(self.described_rows(), width)
    }

    /// Bytes of the largest of them.
    pub(crate) fn largest_projection(&self, width: usize) -> usize {
        self.block(self.view_columns.iter().copied().max().unwrap_or(0), width)
    }

    /// Bytes that one application of a view needs besides input and output.
    pub(crate) fn scratch(&self, width: usize) -> usize {
        self.block(self.nodes, width) * self.scratch_blocks
    }

    /// Rows of all projections.
    pub(crate) fn described_rows(&self) -> usize {
        self.view_columns.iter().sum()
    }

    /// Rows of all projections and of a block of nodes.
    pub(crate) fn tall_rows(&self) -> usize {
        self.nodes + self.described_rows()
    }
}
