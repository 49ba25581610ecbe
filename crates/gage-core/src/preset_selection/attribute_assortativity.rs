//! Do links join nodes that look alike?

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::graph::{Block, Matrix};
use gage_linalg::SparseMatrix;
use gage_linalg::random::mix;

use super::cosines::{DIVISIONS, Table};

/// Pairs looked at, of each kind; the standard error of a mean cosine is then below 0.002. Of long rows there are fewer pairs,
/// so that about [`ENTRIES`] entries are read, but at least [`FEWEST`], for a standard error below 0.005.
const PAIRS: usize = 200_000;
const ENTRIES: usize = 6_000_000;
const FEWEST: usize = 10_000;

fn pairs_of(table: &Table<'_>) -> usize {
    (ENTRIES / table.mean_length().max(1)).clamp(FEWEST, PAIRS)
}

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
    /// Their difference in standard errors: from three on it is hardly chance.
    #[serde(default)]
    pub significance: f64,
}

/// A number below `bound` that depends on seed and position only.
fn draw(seed: u64, position: u64, bound: usize) -> usize {
    let number = mix(seed ^ position.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    ((u128::from(number) * bound as u128) >> 64) as usize
}

/// Measures agreement; nothing if there are no links.
pub(super) fn agreement(links: &Block, table: &Table<'_>, seed: u64) -> Option<Agreement> {
    let Matrix::Sparse(adjacency) = &links.matrix else { return None };
    let entries = adjacency.nnz();
    if entries == 0 {
        return None;
    }
    let most = pairs_of(table);
    let count = entries.min(most);
    let mean = |pair: &(dyn Fn(u64) -> (usize, usize) + Sync)| {
        let pairs = (0..count as u64).into_par_iter().map(pair);
        let found: Vec<f64> = table.cosines(pairs, None).iter().map(|cosines| cosines[0]).collect();
        let count = found.len().max(1) as f64;
        let mean = found.iter().sum::<f64>() / count;
        let variance = found.iter().map(|cosine| (cosine - mean).powi(2)).sum::<f64>() / count;
        (mean, found.len(), variance / count)
    };
    let (over_links, used, error) = mean(&|at| {
        let entry = if entries <= most { at as usize } else { draw(seed, at, entries) };
        (row_of(adjacency, entry), adjacency.indices()[entry] as usize)
    });
    let (over_random_pairs, _, random_error) = mean(&|at| {
        let first = draw(seed ^ 0x5eed, 2 * at, entries);
        let second = draw(seed ^ 0x5eed, 2 * at + 1, entries);
        (row_of(adjacency, first), adjacency.indices()[second] as usize)
    });
    let ratio = over_links / over_random_pairs;
    // Undirected links are looked at from both ends, which is not twice as much evidence.
    let error = (2.0 * error + random_error).sqrt().max(f64::MIN_POSITIVE);
    let significance = ((over_links - over_random_pairs) / error).clamp(-1e6, 1e6);
    let found = Agreement { over_links, over_random_pairs, ratio, links: used, significance };
    ratio.is_finite().then_some(found)
}

/// What the random numbers of a division depend on.
fn salt(seed: u64, division: usize) -> u64 {
    mix(seed ^ mix(0xd1f1_de00 ^ division as u64))
}

/// Attributes to be asked how alike nodes are, their columns divided at random; see [`Table::new`].
pub(super) fn table<'a>(block: &'a Block, idf: &'a [f64], seed: u64) -> Option<Table<'a>> {
    let second = |division, column| mix(salt(seed, division) ^ mix(column as u64)) & 1 == 1;
    Table::new(block, idf, second)
}

/// Do attributes say the same about two nodes, whichever half of them is asked? The correlation over random pairs of nodes
/// between their cosines by one half of the columns and by the other, a mean over several ways to divide them.
///
/// One for long texts, near zero where attributes are nearly noise: then no node is like another because of its own
/// attributes, but the mean of many may still tell. Nothing for attributes without at least two columns.
pub(super) fn reliability(table: &Table<'_>, seed: u64) -> Option<f64> {
    let (rows, columns) = table.size();
    if rows < 2 || columns < 2 {
        return None;
    }
    let correlation = |division: usize| {
        let salt = salt(seed, division);
        let pairs = (0..(pairs_of(table) / DIVISIONS) as u64).into_par_iter();
        let pairs = pairs.map(|at| (draw(salt, 2 * at, rows), draw(salt, 2 * at + 1, rows)));
        pearson(&table.cosines(pairs, Some(division)))
    };
    let found: Vec<f64> = (0..DIVISIONS).filter_map(correlation).collect();
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
}

/// Pearson's correlation; nothing if one side does not vary.
fn pearson(pairs: &[[f64; 2]]) -> Option<f64> {
    let count = pairs.len().max(1) as f64;
    let mean = |side: usize| pairs.iter().map(|pair| pair[side]).sum::<f64>() / count;
    let means = [mean(0), mean(1)];
    let product = |left: usize, right: usize| -> f64 {
        pairs.iter().map(|pair| (pair[left] - means[left]) * (pair[right] - means[right])).sum()
    };
    let found = product(0, 1) / (product(0, 0) * product(1, 1)).sqrt();
    found.is_finite().then_some(found)
}

fn row_of(matrix: &SparseMatrix, entry: usize) -> usize {
    matrix.indptr().partition_point(|&pointer| pointer <= entry as u64) - 1
}

#[cfg(test)]
mod tests {
    use super::super::cosines::frequencies;
    use super::*;

    /// Nodes of four kinds with ten words each; a share of them is of the kind, the others are anything.
    fn texts(own: usize) -> Block {
        let mut stream = gage_linalg::random::Stream::new(5);
        let mut words = Vec::new();
        for node in 0..600u32 {
            for at in 0..10 {
                let kind = (node % 4) as usize * 50;
                let word = if at < own { kind + stream.below(50) } else { stream.below(200) };
                words.push((node, word as u32, 1.0));
            }
        }
        let matrix = SparseMatrix::from_triplets(600, 200, &words).unwrap();
        Block::attributes("attributes", matrix)
    }

    #[test]
    fn words_of_a_kind_are_reliable_and_words_by_chance_are_not() {
        let found: Vec<f64> = [0, 8, 10]
            .map(|own| {
                let texts = texts(own);
                let idf = frequencies(&texts);
                reliability(&table(&texts, &idf, 1).unwrap(), 1).unwrap()
            })
            .to_vec();
        assert!(found[0].abs() < 0.02, "{found:?}");
        assert!(found[1] > 0.1 && found[2] > found[1] + 0.1, "{found:?}");
    }

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
        let idf = frequencies(&words);
        let found = agreement(&links, &table(&words, &idf, 1).unwrap(), 1).unwrap();
        assert_eq!(found.over_links, 1.0);
        assert!(found.ratio > 1.7 && found.ratio < 2.7, "{}", found.ratio);
        assert!(found.significance > 3.0);
    }
}
