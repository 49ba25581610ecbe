//! Attribute assortativity: do links join nodes with similar attributes?

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::graph::{Block, Matrix};

use super::cosines::CosineTable;
use super::sampler::Sampler;

/// Cosine of attributes over links, relative to random pairs with the same degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttributeAssortativity {
    /// Mean tf-idf cosine over links.
    #[serde(rename = "over_links")]
    pub edge_cosine: f64,
    /// Mean tf-idf cosine over random pairs; each end is drawn in proportion to its degree.
    #[serde(rename = "over_random_pairs")]
    pub random_cosine: f64,
    /// `edge_cosine / random_cosine`.
    pub ratio: f64,
    /// Number of links sampled.
    pub links: usize,
    /// Difference of the two means in standard errors.
    #[serde(default)]
    pub significance: f64,
}

/// Mean of the cosines of pairs, their number, and the squared standard error of the mean.
fn mean_cosine(
    table: &CosineTable<'_>,
    pairs: impl IntoParallelIterator<Item = (usize, usize)>,
) -> (f64, usize, f64) {
    let mut found: Vec<f64> = table.cosines(pairs, None).iter().map(|cosines| cosines[0]).collect();
    // The order of the nodes must not change the last digits.
    found.sort_unstable_by(f64::total_cmp);
    let count = found.len().max(1) as f64;
    let mean = found.iter().sum::<f64>() / count;
    let variance = found.iter().map(|cosine| (cosine - mean).powi(2)).sum::<f64>() / count;
    (mean, found.len(), variance / count)
}

/// Estimates the assortativity from sampled links and random pairs; `None` without links.
pub(super) fn attribute_assortativity(
    links: &Block,
    table: &CosineTable<'_>,
    sampler: &Sampler,
) -> Option<AttributeAssortativity> {
    let Matrix::Sparse(adjacency) = &links.matrix else { return None };
    let sample = sampler.links(adjacency, table.pair_count());
    let count = sample.len();
    // In a random order, the ends of links that follow each other are random pairs.
    let random = (0..count).into_par_iter().map(|at| (sample[at].0, sample[(at + 1) % count].1));
    let (random_cosine, _, random_error) = mean_cosine(table, random);
    let (edge_cosine, links, error) = mean_cosine(table, sample);
    if links == 0 {
        return None;
    }
    let ratio = edge_cosine / random_cosine;
    // An undirected link may be sampled from both ends, which adds no evidence.
    let error = (2.0 * error + random_error).sqrt().max(f64::MIN_POSITIVE);
    let significance = ((edge_cosine - random_cosine) / error).clamp(-1e6, 1e6);
    let found = AttributeAssortativity { edge_cosine, random_cosine, ratio, links, significance };
    ratio.is_finite().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::super::cosines::{column_idf, cosine_table};
    use super::*;
    use crate::graph::Nodes;
    use gage_linalg::SparseMatrix;

    #[test]
    fn links_between_equal_nodes_are_assortative() {
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
        let idf = column_idf(&words);
        let table = cosine_table(&words, &idf, 1).unwrap();
        let found = attribute_assortativity(&links, &table, &Sampler::new(&Nodes::numbered(20), 1))
            .unwrap();
        assert_eq!(found.edge_cosine, 1.0);
        assert!(found.ratio > 1.7 && found.ratio < 2.7, "{}", found.ratio);
        assert!(found.significance > 3.0);
    }
}
