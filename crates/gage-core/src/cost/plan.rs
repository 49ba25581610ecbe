//! The plan of a fit: its memory and passes, before it runs.

use serde::{Deserialize, Serialize};

use crate::fit::Prepared;
use crate::views::explicit_gram_bytes;

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

impl Prepared<'_> {
    /// What the fit will take. Nothing runs.
    pub fn plan(&self) -> Plan {
        let (graph, views, size, cost) = (self.graph, &self.views, &self.size, &self.cost);
        let explicit = self.params.explicit_gram_columns(size.nodes);
        let explicit = explicit.map_or(0, |columns| explicit_gram_bytes(views.views(), columns));
        Plan {
            nodes: size.nodes,
            views: size.view_columns.len(),
            columns: size.columns,
            basis_width: size.basis_width(&self.params.basis),
            passes: cost.passes,
            input_bytes: size.input_bytes + graph.nodes().bytes(),
            view_bytes: views.extra_bytes() + explicit,
            work_bytes: cost.bytes,
            pass_flops: size.nonzeros as f64 * cost.pass_columns as f64,
            dense_flops: cost.dense_flops(),
        }
    }
}
