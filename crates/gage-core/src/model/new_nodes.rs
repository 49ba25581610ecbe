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

/// Nonzero attributes in known columns, and links to fitted nodes, below which a row says little.
pub const FEW_ENTRIES: usize = 2;

/// Rows of new nodes.
#[derive(Clone, Debug)]
pub struct FoldedIn {
    /// One row of `U` per new node.
    pub factors: AnyTall,
    /// New nodes without any view. Their rows are zero.
    pub unobserved: Vec<usize>,
    /// New nodes whose rows rest on fewer than [`FEW_ENTRIES`] known attributes and links, with
    /// their number.
    pub few_entries: Vec<(usize, usize)>,
    /// New nodes that lack a block, where the model has no table for that: models of older
    /// versions and very large ones. Their rows are too long.
    pub without_table: Vec<usize>,
}

impl FoldedIn {
    /// What a user should know about these rows; `id` names a new node.
    pub fn warnings(&self, id: impl Fn(usize) -> String) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(&(first, entries)) = self.few_entries.first() {
            warnings.push(format!(
                "{} new nodes rest on fewer than {FEW_ENTRIES} attributes and links that the model \
                 knows, first `{}` with {entries}; their rows say little",
                self.few_entries.len(),
                id(first)
            ));
        }
        if let Some(&first) = self.without_table.first() {
            warnings.push(format!(
                "{} new nodes lack a block of the model, first `{}`, and the model has no table \
                 for that (it is of an older version, or very large); their rows are too long",
                self.without_table.len(),
                id(first)
            ));
        }
        warnings
    }
}
