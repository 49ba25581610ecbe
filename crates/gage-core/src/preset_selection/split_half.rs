//! Split-half reliability of attributes.

use rayon::prelude::*;

use super::cosines::{CosineTable, SPLITS, draw, split_salt};
use super::sampler::Sampler;

/// Correlation between the cosines of random pairs of nodes by one half of the columns and by the
/// other, averaged over several random splits.
///
/// It is near one for long texts and near zero where attributes are nearly noise. In that case
/// single rows say little, but means over many rows may still do. `None` with fewer than two
/// columns.
pub(super) fn split_half_reliability(
    table: &CosineTable<'_>,
    sampler: &Sampler,
    seed: u64,
) -> Option<f64> {
    let (rows, columns) = table.size();
    if rows < 2 || columns < 2 {
        return None;
    }
    let order = sampler.order();
    let correlation = |split: usize| {
        let salt = split_salt(seed, split);
        let pairs = (0..(table.pair_count() / SPLITS) as u64).into_par_iter();
        let pairs =
            pairs.map(|at| (order[draw(salt, 2 * at, rows)], order[draw(salt, 2 * at + 1, rows)]));
        let mut found = table.cosines(pairs, Some(split));
        // The order of the nodes must not change the last digits.
        found.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        pearson(&found)
    };
    let found: Vec<f64> = (0..SPLITS).filter_map(correlation).collect();
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
}

/// Pearson's correlation; `None` if one side is constant.
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

#[cfg(test)]
mod tests {
    use super::super::cosines::{column_idf, cosine_table};
    use super::*;
    use crate::graph::{Block, Nodes};
    use gage_linalg::SparseMatrix;

    /// Nodes of four kinds with ten words each; `own` of the words are of the kind.
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
                let idf = column_idf(&texts);
                let sampler = Sampler::new(&Nodes::numbered(600), 1);
                split_half_reliability(&cosine_table(&texts, &idf, 1).unwrap(), &sampler, 1)
                    .unwrap()
            })
            .to_vec();
        assert!(found[0].abs() < 0.02, "{found:?}");
        assert!(found[1] > 0.1 && found[2] > found[1] + 0.1, "{found:?}");
    }
}
