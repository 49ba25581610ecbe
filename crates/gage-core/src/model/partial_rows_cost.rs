//! How many nodes the tables of new nodes are learnt from, and what that costs.

use crate::cost::ProblemSize;

/// At most one in so many nodes is left out at a time, since the graph of the others should be much
/// like the whole; and passes over the views at most.
pub(super) const FOLDS: usize = 10;

/// Nodes to learn from, for each column; in small graphs all of them.
const NODES_PER_COLUMN: usize = 16;

/// Up to so many blocks all combinations have tables; beyond, each block alone and all but one.
pub(super) const ALL_COMBINATIONS: usize = 3;

/// Nonzeros from which on a second copy of the graph would be too large.
pub(super) const MAX_NONZEROS: usize = 20_000_000;

/// Bytes that learning the tables takes beside the model, and the folds it takes. Where the views
/// turn out to be reproduced exactly, it takes nothing.
pub(super) fn partial_rows_cost(size: &ProblemSize) -> (usize, usize) {
    let (blocks, columns) = (size.blocks, size.columns);
    if blocks < 2 || size.nonzeros > MAX_NONZEROS {
        return (0, 0);
    }
    // Of the kept nodes, which are nearly all: their graph and its transposes, their rows, the
    // tables of all views.
    let rows = size.block(size.nodes, columns) * (1 + size.smoothed_views);
    let fold = 2 * size.input_bytes + rows + size.projections(columns);
    let combinations = if blocks <= ALL_COMBINATIONS { (1 << blocks) - 2 } else { 2 * blocks };
    let nodes = wanted(columns).min(size.nodes);
    // Products, and the mean rows of neighbours.
    let samples = size_of::<f64>() * combinations * nodes * 2 * columns;
    let folds = (nodes * fold_count(size.nodes, nodes)).div_ceil(size.nodes.max(1));
    (fold + samples, folds.min(FOLDS))
}

/// How many nodes a table of so many columns is learnt from, if there are as many.
pub(super) fn wanted(columns: usize) -> usize {
    (NODES_PER_COLUMN * columns).max(2048)
}

/// How many folds so many nodes make. Of many nodes no more are left out than are wanted.
pub(super) fn fold_count(nodes: usize, wanted: usize) -> usize {
    FOLDS.max(nodes / wanted.max(1))
}
