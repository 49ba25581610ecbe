//! How much of the attributes survives repeated smoothing over links.
//!
//! The attributes of a fifth of the nodes are hidden and predicted as `P^m` times those of the
//! others for growing `m`, with `P = D^-1/2 (A + I) D^-1/2`. On sparse graphs with meaningful
//! links, eight steps predict better than one. On dense or unrelated graphs smoothing soon loses
//! the attributes. Rows are compared through a random projection, so one step costs one pass over
//! the links with [`SKETCH`] columns.

use crate::graph::{Block, Mask, Matrix};
use crate::views::{degrees, each_entry, inverse_or_zero, inverse_row_lengths, symmetrised};
use gage_linalg::kernel::{Diagonals, spmm_accumulate};
use gage_linalg::random::fill_normal;
use gage_linalg::{SparseMatrix, Tall};

use super::sampler::Sampler;

/// Columns of the random projection.
const SKETCH: usize = 32;

/// Numbers of steps after which the prediction is scored.
const STEPS: [usize; 4] = [1, 2, 4, 8];

/// Mean cosine between predicted and hidden rows after each number of steps.
pub(super) type DepthScores = Vec<(usize, f64)>;

/// Scores the prediction at every depth; `None` without links or attributes to predict.
pub(super) fn depth_scores(
    links: &Block,
    attributes: &Block,
    idf: &[f64],
    sampler: &Sampler,
    seed: u64,
) -> Option<DepthScores> {
    let Matrix::Sparse(adjacency) = &links.matrix else { return None };
    let nodes = adjacency.rows();
    if adjacency.nnz() == 0 {
        return None;
    }
    let truth = sketch(attributes, idf, seed);
    let known: Vec<bool> = (0..nodes)
        .map(|node| {
            let observed = attributes.observed.as_ref().is_none_or(|mask| mask.contains(node));
            observed && truth.row(node).iter().any(|&x| x != 0.0)
        })
        .collect();
    let hidden: Vec<usize> = (0..nodes)
        .filter(|&node| known[node] && sampler.one_of(5, node))
        .filter(|&node| !adjacency.row_range(node).is_empty())
        .collect();
    if hidden.is_empty() {
        return None;
    }
    let mut shown = known;
    hidden.iter().for_each(|&node| shown[node] = false);
    let shown = Mask::new(shown);
    let mean = mean_row(&truth, &shown);
    let undirected;
    let adjacency = if adjacency.is_symmetric() {
        adjacency
    } else {
        undirected = symmetrised(adjacency).ok()?;
        &undirected
    };
    Some(scored_steps(adjacency, &truth, &mean, &shown, &hidden))
}

/// Smooths the shown rows step by step, and scores the hidden ones after some of the steps.
fn scored_steps(
    adjacency: &SparseMatrix,
    truth: &Tall<f32>,
    mean: &[f32],
    shown: &Mask,
    hidden: &[usize],
) -> DepthScores {
    let nodes = adjacency.rows();
    let centred = |node: usize, out: &mut [f32]| {
        for ((out, &value), mean) in out.iter_mut().zip(truth.row(node)).zip(mean) {
            *out = value - mean;
        }
    };
    let mut current = Tall::from_rows(nodes, SKETCH, |node, out: &mut [f32]| {
        if shown.contains(node) {
            centred(node, out);
        }
    });
    let factors: Vec<f64> =
        degrees(adjacency, 1.0).into_iter().map(|d| inverse_or_zero(d.sqrt())).collect();
    let self_loops: Vec<f64> = factors.iter().map(|f| f * f).collect();
    let diagonals =
        Diagonals { left: Some(&factors), right: Some(&factors), shift: Some(&self_loops) };
    let mut scores = Vec::new();
    for step in 1..=STEPS[STEPS.len() - 1] {
        let mut next = Tall::zeros(nodes, SKETCH);
        spmm_accumulate(adjacency, diagonals, 1.0, &current, &mut next);
        current = next;
        if STEPS.contains(&step) {
            let cosines = hidden.iter().map(|&node| {
                let mut wanted = [0.0; SKETCH];
                centred(node, &mut wanted);
                cosine(current.row(node), &wanted)
            });
            scores.push((step, cosines.sum::<f64>() / hidden.len() as f64));
        }
    }
    scores
}

/// Score at the greatest depth relative to the first; `None` where neighbours predict nothing.
pub(super) fn smoothing_retention(scores: &[(usize, f64)]) -> Option<f64> {
    let (near, far) = (scores.first()?.1, scores.last()?.1);
    (near > 0.0).then_some(far / near)
}

/// Rows of the attributes, tf-idf weighted and of norm one, times a Gaussian random matrix. The
/// random matrix depends on column numbers only.
fn sketch(attributes: &Block, idf: &[f64], seed: u64) -> Tall<f32> {
    let matrix = &attributes.matrix;
    let random = Tall::from_rows(matrix.cols(), SKETCH, |column, out: &mut [f32]| {
        let mut numbers = [0.0; SKETCH];
        fill_normal(seed, column as u64, &mut numbers);
        out.iter_mut().zip(numbers).for_each(|(out, number)| *out = number as f32);
    });
    let lengths = inverse_row_lengths(matrix, Some(idf), None);
    let mut rows = match matrix {
        Matrix::Sparse(matrix) => {
            let mut rows = Tall::zeros(matrix.rows(), SKETCH);
            let weights = Diagonals { left: None, right: Some(idf), shift: None };
            spmm_accumulate(matrix, weights, 1.0, &random, &mut rows);
            rows
        }
        Matrix::Dense(_) => Tall::from_rows(matrix.rows(), SKETCH, |row, out: &mut [f32]| {
            each_entry(matrix, row, |column, value| {
                let weighted = (value * idf[column]) as f32;
                out.iter_mut().zip(random.row(column)).for_each(|(out, r)| *out += weighted * r);
            });
        }),
    };
    rows.par_update_rows(|row, out| {
        let scale = lengths[row] as f32;
        // A row that overflows in single precision is treated as empty.
        let fine = scale.is_finite() && out.iter().all(|x| x.is_finite());
        out.iter_mut().for_each(|out| *out = if fine { *out * scale } else { 0.0 });
    });
    rows
}

fn mean_row(rows: &Tall<f32>, mask: &Mask) -> Vec<f32> {
    let mut sums = vec![0.0f64; rows.cols()];
    for row in (0..rows.rows()).filter(|&row| mask.contains(row)) {
        sums.iter_mut().zip(rows.row(row)).for_each(|(sum, &x)| *sum += f64::from(x));
    }
    sums.iter().map(|sum| (sum / mask.count().max(1) as f64) as f32).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum()
    };
    dot(a, b) * inverse_or_zero((dot(a, a) * dot(b, b)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::cosines::column_idf;
    use super::*;
    use crate::graph::Nodes;
    use gage_linalg::random::Stream;

    /// Nodes on a ring, each linked to its next neighbours; words follow the position along the
    /// ring.
    fn ring(nodes: u32, words: u32, stretch: u32) -> (Block, Block) {
        let links: Vec<(u32, u32, f64)> = (0..nodes)
            .flat_map(|i| [(i, (i + 1) % nodes, 1.0), ((i + 1) % nodes, i, 1.0)])
            .collect();
        let mut stream = Stream::new(3);
        let mut text = Vec::new();
        for node in 0..nodes {
            // Few words of a large vocabulary: one neighbour says little about a node, many say
            // more.
            for _ in 0..3 {
                let topic = node / stretch * words;
                text.push((node, topic + stream.below(words as usize) as u32, 1.0));
            }
        }
        let columns = (nodes / stretch + 1) * words;
        let matrix = SparseMatrix::from_triplets(nodes as usize, columns as usize, &text).unwrap();
        let links = SparseMatrix::from_triplets(nodes as usize, nodes as usize, &links).unwrap();
        (Block::links("links", links, false), Block::attributes("attributes", matrix))
    }

    #[test]
    fn long_stretches_of_like_nodes_are_seen_as_deep() {
        let sampler = Sampler::new(&Nodes::numbered(4000), 1);
        let retention = |(links, words): (Block, Block)| {
            let scores = depth_scores(&links, &words, &column_idf(&words), &sampler, 1);
            smoothing_retention(&scores.unwrap()).unwrap()
        };
        let deep = retention(ring(4000, 40, 100));
        let shallow = retention(ring(4000, 3, 3));
        assert!(deep > 1.2, "{deep}");
        assert!(shallow < 0.9, "{shallow}");
    }

    #[test]
    fn nothing_to_predict_is_no_depth() {
        let sampler = Sampler::new(&Nodes::numbered(50), 1);
        let (links, words) = ring(50, 4, 10);
        let none = SparseMatrix::empty(50, 50).unwrap();
        let unlinked = Block::links("links", none, false);
        assert!(depth_scores(&unlinked, &words, &[], &sampler, 1).is_none());
        let none = SparseMatrix::empty(50, 4).unwrap();
        let unknown = Block::attributes("attributes", none);
        assert!(depth_scores(&links, &unknown, &[], &sampler, 1).is_none());
    }
}
