//! New nodes and their rows.

use crate::graph::{Mask, Matrix};
use crate::views::Direction;
use gage_linalg::AnyTall;

/// One block of the new nodes.
#[derive(Clone, Debug)]
pub struct NewBlock {
    /// Name of the block in the fitted graph.
    pub name: String,
    /// Links from the new nodes, or for [`Direction::In`] links to them. Always one row per new
    /// node.
    pub direction: Direction,
    /// One row per new node; columns as in the fitted graph (for links: the fitted nodes).
    pub matrix: Matrix,
    /// New nodes the block observes; `None` when all.
    pub observed: Option<Mask>,
}

/// New nodes with the blocks that describe them.
#[derive(Clone, Debug, Default)]
pub struct NewNodes {
    /// Number of new nodes.
    pub count: usize,
    /// Their blocks.
    pub blocks: Vec<NewBlock>,
}

/// Rows of new nodes.
#[derive(Clone, Debug)]
pub struct FoldedIn {
    /// One row of `U` per new node.
    pub factors: AnyTall,
    /// New nodes without any view. Their rows are zero.
    pub unobserved: Vec<usize>,
}
