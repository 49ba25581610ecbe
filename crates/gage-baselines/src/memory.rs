//! What a method will hold in memory, from the sizes of the graph alone.

use gage_embed::graph::{ATTRIBUTES, LINKS};
use gage_embed::{Graph, Matrix};

use crate::input::{find, is_attributes, is_links};

/// Bytes of one entry of a sparse matrix: its column and its value.
const ENTRY: u64 = 12;

/// Sizes of what the methods read.
pub(crate) struct Sizes {
    pub(crate) nodes: u64,
    /// Columns of the attributes.
    pub(crate) attributes: u64,
    /// Bytes of the links and their transpose.
    pub(crate) links: u64,
    /// Bytes of the weighted attributes and their transpose.
    pub(crate) table: u64,
}

impl Sizes {
    pub(crate) fn of(graph: &Graph) -> Sizes {
        let entries = |matrix: &Matrix| match matrix {
            Matrix::Sparse(sparse) => ENTRY.saturating_mul(sparse.nnz() as u64),
            Matrix::Dense(dense) => product(&[8, dense.rows() as u64, dense.cols() as u64]),
        };
        let (links, table) = (find(graph, LINKS, is_links), find(graph, ATTRIBUTES, is_attributes));
        Sizes {
            nodes: graph.nodes().len() as u64,
            attributes: table.as_ref().map_or(0, |block| block.matrix.cols() as u64),
            links: links.map_or(0, |block| entries(&block.matrix).saturating_mul(2)),
            table: table.map_or(0, |block| entries(&block.matrix).saturating_mul(2)),
        }
    }

    /// Blocks of `f64` with one row per node and so many columns together.
    pub(crate) fn blocks(&self, columns: usize) -> u64 {
        product(&[8, self.nodes, columns as u64])
    }

    /// A truncated SVD of rank `rank` of a matrix with one row per node.
    pub(crate) fn svd(&self, columns: u64, rank: usize) -> u64 {
        // Five blocks of the basis and two that replace them, on both sides.
        product(&[8, 7, self.nodes.saturating_add(columns), rank as u64 + 8])
    }
}

/// A sum that stays at the largest number instead of wrapping.
pub(crate) fn sum(bytes: &[u64]) -> u64 {
    bytes.iter().fold(0, |sum, &bytes| sum.saturating_add(bytes))
}

/// A product that stays at the largest number instead of wrapping.
pub(crate) fn product(factors: &[u64]) -> u64 {
    factors.iter().fold(1, |product, &factor| product.saturating_mul(factor))
}
