//! Do links join nodes that look alike?

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::graph::{Block, Matrix};
use crate::linalg::{SparseMatrix, mix};
use crate::views::inverse_document_frequencies;

/// Pairs looked at, of each kind; the standard error of a mean cosine is then below 0.002.
const PAIRS: usize = 200_000;

/// How alike linked nodes are, compared with random nodes of the same degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Mean tf-idf cosine over links.
    pub over_links: f64,
    /// The same over random pairs, each end drawn as often as it has links.
    pub over_random_pairs: f64,
    /// Their ratio.
    pub ratio: f64,
    /// Links looked at.
    pub links: usize,
}

/// A number below `bound` that depends on seed and position only.
fn draw(seed: u64, position: u64, bound: usize) -> usize {
    let number = mix(seed ^ position.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    ((u128::from(number) * bound as u128) >> 64) as usize
}

/// Measures agreement; nothing if there are no links, or attributes for which a ratio of cosines means little (negative
/// numbers).
pub fn agreement(links: &Block, attributes: &Block, seed: u64) -> Option<Agreement> {
    let Matrix::Sparse(adjacency) = &links.matrix else { return None };
    let entries = adjacency.entries();
    if entries == 0 {
        return None;
    }
    let table = Table::new(attributes)?;
    let known = |node: usize| attributes.observed.as_ref().is_none_or(|mask| mask.contains(node));
    let count = entries.min(PAIRS);
    let mean = |pair: &(dyn Fn(u64) -> (usize, usize) + Sync)| {
        let cosines: Vec<Option<f64>> = (0..count as u64)
            .into_par_iter()
            .map(|at| {
                let (i, j) = pair(at);
                (i != j && known(i) && known(j)).then(|| table.cosine(i, j))
            })
            .collect();
        let found: Vec<f64> = cosines.into_iter().flatten().collect();
        (found.iter().sum::<f64>() / found.len().max(1) as f64, found.len())
    };
    let (over_links, used) = mean(&|at| {
        let entry = if entries <= PAIRS { at as usize } else { draw(seed, at, entries) };
        (row_of(adjacency, entry), adjacency.indices()[entry] as usize)
    });
    let (over_random_pairs, _) = mean(&|at| {
        let first = draw(seed ^ 0x5eed, 2 * at, entries);
        let second = draw(seed ^ 0x5eed, 2 * at + 1, entries);
        (row_of(adjacency, first), adjacency.indices()[second] as usize)
    });
    let ratio = over_links / over_random_pairs;
    ratio.is_finite().then_some(Agreement { over_links, over_random_pairs, ratio, links: used })
}

fn row_of(matrix: &SparseMatrix, entry: usize) -> usize {
    matrix.pointers().partition_point(|&pointer| pointer <= entry as u64) - 1
}

/// Attributes with tf-idf weights that are applied on the fly.
struct Table<'a> {
    matrix: &'a Matrix,
    idf: Vec<f64>,
}

impl Table<'_> {
    fn new(block: &Block) -> Option<Table<'_>> {
        let matrix = &block.matrix;
        let signed = (0..matrix.rows())
            .into_par_iter()
            .any(|row| entries(matrix, row).any(|(_, value)| value < 0.0));
        let idf = inverse_document_frequencies(matrix, block.observed.as_ref());
        (!signed).then_some(Table { matrix, idf })
    }

    fn cosine(&self, i: usize, j: usize) -> f64 {
        let weighted = |row| -> Vec<(usize, f64)> {
            entries(self.matrix, row).map(|(col, value)| (col, value * self.idf[col])).collect()
        };
        let (a, b) = (weighted(i), weighted(j));
        let length = |row: &[(usize, f64)]| row.iter().map(|e| e.1 * e.1).sum::<f64>().sqrt();
        let (mut x, mut y, mut dot) = (0, 0, 0.0);
        while x < a.len() && y < b.len() {
            match a[x].0.cmp(&b[y].0) {
                std::cmp::Ordering::Less => x += 1,
                std::cmp::Ordering::Greater => y += 1,
                std::cmp::Ordering::Equal => {
                    dot += a[x].1 * b[y].1;
                    x += 1;
                    y += 1;
                }
            }
        }
        let lengths = length(&a) * length(&b);
        if lengths > 0.0 { dot / lengths } else { 0.0 }
    }
}

/// Entries of a row that are there and not zero.
pub(super) fn entries(matrix: &Matrix, row: usize) -> Box<dyn Iterator<Item = (usize, f64)> + '_> {
    match matrix {
        Matrix::Sparse(sparse) => Box::new(
            sparse.row(row).map(|(col, v)| (col as usize, v)).filter(|entry| entry.1 != 0.0),
        ),
        Matrix::Dense(dense) => Box::new(
            (0..dense.cols())
                .map(move |col| (col, dense.get(row, col)))
                .filter(|entry| entry.1 != 0.0 && !entry.1.is_nan()),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_between_equal_nodes_agree() {
        // Two kinds of nodes; links stay within a kind.
        let links: Vec<(u32, u32, f64)> = (0..20u32)
            .flat_map(|i| {
                (0..20).filter(move |&j| j != i && i % 2 == j % 2).map(move |j| (i, j, 1.0))
            })
            .collect();
        let words: Vec<(u32, u32, f64)> = (0..20u32).map(|i| (i, i % 2, 1.0)).collect();
        let links =
            Block::links("links", SparseMatrix::from_triplets(20, 20, &links).unwrap(), false);
        let words =
            Block::attributes("attributes", SparseMatrix::from_triplets(20, 2, &words).unwrap());
        let found = agreement(&links, &words, 1).unwrap();
        assert_eq!(found.over_links, 1.0);
        assert!(found.ratio > 1.7 && found.ratio < 2.7, "{}", found.ratio);
    }
}
