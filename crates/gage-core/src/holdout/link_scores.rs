//! Scores of node pairs, and how well they separate hidden links from pairs without a link.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::links::LinkSplit;
use super::ranking::{average_precision, roc_auc};
use super::{EvalError, check_rows, same_length};
use gage_linalg::{Real, Tall};

/// How the rows of two nodes make a score; higher means a link is likelier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkScore {
    /// `x . y`.
    #[default]
    Dot,
    /// `x . y / (|x| |y|)`, 0 if either is zero.
    Cosine,
    /// `-|x - y|`.
    NegativeDistance,
}

impl LinkScore {
    /// Name, in words.
    pub fn name(self) -> &'static str {
        match self {
            LinkScore::Dot => "dot product",
            LinkScore::Cosine => "cosine",
            LinkScore::NegativeDistance => "distance",
        }
    }
}

/// Scores pairs of rows of one embedding. Cost `2 p` flops a pair, in parallel.
pub fn score_pairs<T: Real>(
    embedding: &Tall<T>,
    pairs: &[(u32, u32)],
    score: LinkScore,
) -> Result<Vec<f64>, EvalError> {
    score_pairs_between(embedding, embedding, pairs, score)
}

/// Scores pairs of a row of `from` and a row of `to`, for embeddings with separate sources and
/// targets.
pub fn score_pairs_between<T: Real>(
    from: &Tall<T>,
    to: &Tall<T>,
    pairs: &[(u32, u32)],
    score: LinkScore,
) -> Result<Vec<f64>, EvalError> {
    same_length("columns of the sources", from.cols(), "columns of the targets", to.cols())?;
    check_rows(from, &pairs.iter().map(|pair| pair.0).collect::<Vec<_>>())?;
    check_rows(to, &pairs.iter().map(|pair| pair.1).collect::<Vec<_>>())?;
    let sum = |x: &[T], y: &[T], term: fn(f64, f64) -> f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| term(x.to_f64(), y.to_f64())).sum()
    };
    let one = |&(i, j): &(u32, u32)| {
        let (x, y) = (from.row(i as usize), to.row(j as usize));
        match score {
            LinkScore::Dot => sum(x, y, |x, y| x * y),
            LinkScore::Cosine => {
                let norms = sum(x, x, |x, y| x * y).sqrt() * sum(y, y, |x, y| x * y).sqrt();
                if norms > 0.0 { sum(x, y, |x, y| x * y) / norms } else { 0.0 }
            }
            LinkScore::NegativeDistance => -sum(x, y, |x, y| (x - y) * (x - y)).sqrt(),
        }
    };
    Ok(pairs.par_iter().with_min_len(256).map(one).collect())
}

/// How well hidden links are distinguished from pairs without a link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkReport {
    /// Area under the ROC curve.
    pub auc: f64,
    /// Average precision.
    pub average_precision: f64,
    /// Number of hidden links, and of pairs without a link.
    pub pairs: usize,
}

/// Scores the hidden links of `split` against its unlinked pairs with an embedding made from
/// `split.training`.
pub fn score_links<T: Real>(
    embedding: &Tall<T>,
    split: &LinkSplit,
    score: LinkScore,
) -> Result<LinkReport, EvalError> {
    let pairs = [&split.held_out[..], &split.absent[..]].concat();
    let scores = score_pairs(embedding, &pairs, score)?;
    let positive: Vec<bool> = (0..pairs.len()).map(|at| at < split.held_out.len()).collect();
    Ok(LinkReport {
        auc: roc_auc(&scores, &positive)?,
        average_precision: average_precision(&scores, &positive)?,
        pairs: split.held_out.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::holdout::{LinkParams, remove_links};
    use gage_linalg::SparseMatrix;

    #[test]
    fn scores_follow_their_formulas() {
        let rows = [[3.0f32, 4.0], [0.0, 2.0], [0.0, 0.0]];
        let embedding =
            Tall::from_rows(3, 2, |row, out: &mut [f32]| out.copy_from_slice(&rows[row]));
        let score = |pair, score| score_pairs(&embedding, &[pair], score).unwrap()[0];
        assert_eq!(score((0, 1), LinkScore::Dot), 8.0);
        assert_eq!(score((0, 1), LinkScore::Cosine), 0.8);
        assert_eq!(score((0, 2), LinkScore::Cosine), 0.0);
        assert_eq!(score((0, 2), LinkScore::NegativeDistance), -5.0);
        let targets = Tall::from_rows(3, 2, |_, out: &mut [f32]| out.copy_from_slice(&[1.0, 0.0]));
        let directed = score_pairs_between(&embedding, &targets, &[(0, 1), (1, 0)], LinkScore::Dot);
        assert_eq!(directed.unwrap(), [3.0, 0.0]);
    }

    #[test]
    fn an_embedding_that_knows_the_communities_finds_the_links() {
        // Two cliques of 20; one column tells them apart.
        let entries: Vec<(u32, u32, f64)> = (0..40u32)
            .flat_map(|i| (0..40).map(move |j| (i, j, 1.0)))
            .filter(|&(i, j, _)| i != j && i / 20 == j / 20)
            .collect();
        let cliques = SparseMatrix::from_triplets(40, 40, &entries).unwrap();
        let split = remove_links(&cliques, &LinkParams::default()).unwrap();
        let side = Tall::from_rows(40, 1, |row, out: &mut [f64]| {
            out[0] = if row < 20 { 1.0 } else { -1.0 };
        });
        let report = score_links(&side, &split, LinkScore::Dot).unwrap();
        assert_eq!((report.auc, report.average_precision, report.pairs), (1.0, 1.0, 190));
    }

    #[test]
    fn faults_are_named() {
        let embedding = Tall::<f64>::zeros(3, 2);
        let score = LinkScore::Dot;
        assert!(score_pairs(&embedding, &[(0, 3)], score).is_err());
        assert!(score_pairs_between(&embedding, &Tall::zeros(3, 1), &[(0, 0)], score).is_err());
        let mut broken = embedding;
        broken.row_mut(1)[0] = f64::INFINITY;
        assert!(score_pairs(&broken, &[(0, 1)], score).is_err());
    }
}
