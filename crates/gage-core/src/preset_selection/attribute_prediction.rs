//! How well a node's own attributes, those of its surroundings, and its links predict attributes
//! that are hidden.
//!
//! A tenth of the columns is hidden ([`HiddenColumns`]). Everything else is made from what is left:
//! with the attributes `X` as the views of `auto` have them, an orthonormal basis `Q` of their
//! dominant right singular vectors (`c = 32` columns, two rounds of subspace iteration) compresses
//! a row to `x Q`, and smoothing the block `X Q` over the links gives what is within two steps, and
//! the mean of eight smoothings. Ridge regression from each block on half of the sampled nodes
//! predicts the hidden columns of the other half, where the area under the ROC curve of every
//! column is averaged. The rows of the adjacency itself, which only dense graphs have something to
//! say in, are compressed by subspace iteration as well.
//!
//! Labels are not used, nor the seed of the fit. Cost: 5 passes over the attributes and 10 over the
//! links with `c` columns, 20 more in dense graphs, and `m c (c + J)` flops for `m` sampled nodes
//! and `J` hidden columns.

use serde::{Deserialize, Serialize};

use crate::graph::{ATTRIBUTES, Block, Graph, LINKS, Matrix};
use crate::views::{Steps, Transform, ViewSpec, Views};
use gage_linalg::kernel::{column_sums, gram, orthonormalise, subtract_row};
use gage_linalg::random::fill_normal;
use gage_linalg::{LocalReducer, Precision, Tall};

use super::auc_of_ridge::{Halves, mean_auc};
use super::hidden_columns::{HiddenColumns, hidden_values};
use super::sampler::Sampler;
use super::smoothing::smoothing;

/// Columns of the blocks that predict. 64 give the same ratios.
const COLUMNS: usize = 32;

/// Nodes that are sampled at most, for learning and for testing together.
const MOST_NODES: usize = 20_000;

/// Fewer nodes than this say too little.
const LEAST_NODES: usize = 40;

/// Hidden columns that are predicted at most.
const MOST_TARGETS: usize = 200;

/// Belongs to the start of subspace iteration and to nothing else.
const BASIS: u64 = 0xba51_5000;

/// Rounds of subspace iteration, for attributes and for links.
const ROUNDS: (usize, usize) = (2, 5);

/// How well hidden attributes are predicted: areas under the ROC curve, one half by chance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttributePrediction {
    /// By the other attributes of the node.
    pub own: f64,
    /// By attributes smoothed twice.
    pub near: f64,
    /// By the mean of eight smoothings.
    pub far: f64,
    /// By the rows of the adjacency; in dense graphs only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<f64>,
    /// Hidden columns that were predicted.
    pub columns: usize,
    /// Nodes that were learnt from and predicted.
    pub nodes: usize,
    /// Standard deviation of the lengths of rows relative to their mean, over all nodes, of the
    /// three blocks of attributes side by side at one norm.
    pub length_spread: f64,
}

/// Scores a graph; `None` where there is too little to hide or to learn from. `transform` is that
/// of the attributes; rows of the adjacency are scored if wanted.
pub(super) fn attribute_prediction(
    graph: &Graph,
    transform: Transform,
    links: bool,
    seed: u64,
) -> Option<AttributePrediction> {
    let hidden = HiddenColumns::of(graph, seed)?;
    let mut specs = vec![
        ViewSpec { transform, ..ViewSpec::raw(ATTRIBUTES) },
        smoothed(transform, Steps::Power(2)),
        smoothed(transform, Steps::Mean(8)),
    ];
    if links {
        let transform = Transform::Symmetric { self_loops: 0.0 };
        specs.push(ViewSpec { transform, ..ViewSpec::raw(LINKS) });
    }
    // A graph whose views cannot be built is refused by the fit, with a reason.
    let views = Views::build(&hidden.graph, &specs, Precision::F32).ok()?;
    let sampler = Sampler::new(graph.nodes(), seed);
    let sample = sample(graph, &sampler);
    if sample.len() < LEAST_NODES {
        return None;
    }
    let targets = targets(graph, &hidden, &sample);
    let halves = Halves::new(&targets);
    let basis = right_basis(&views, 0, ROUNDS.0, |column| seed ^ column as u64);
    let mut lengths = vec![0.0; graph.nodes().len()];
    let mut score = |k: usize, basis: &Tall<f32>| {
        let mut block = product(&views, k, basis);
        centre(&mut block);
        if k < 3 {
            add_lengths(&block, &mut lengths);
        }
        mean_auc(&block, &sample, &halves)
    };
    let [own, near, far] = [0, 1, 2].map(|k| score(k, &basis));
    let links = links.then(|| {
        let basis = right_basis(&views, 3, ROUNDS.1, |node| seed ^ sampler.keys()[node]);
        score(3, &basis)
    });
    Some(AttributePrediction {
        own,
        near,
        far,
        links,
        columns: targets.len(),
        nodes: sample.len(),
        length_spread: relative_spread(&lengths),
    })
}

fn smoothed(transform: Transform, steps: Steps) -> ViewSpec {
    ViewSpec { transform, propagate: Some(smoothing(steps)), ..ViewSpec::raw(ATTRIBUTES) }
}

/// Nodes that both attributes and links are known of, with a link and an attribute, in an order
/// that belongs to their ids; at most [`MOST_NODES`].
fn sample(graph: &Graph, sampler: &Sampler) -> Vec<u32> {
    let (Some(links), Some(attributes)) = (graph.block(LINKS), graph.block(ATTRIBUTES)) else {
        return Vec::new();
    };
    let known = |node: usize| {
        let observed =
            |block: &Block| block.observed.as_ref().is_none_or(|mask| mask.contains(node));
        let linked = match &links.matrix {
            Matrix::Sparse(matrix) => !matrix.row_range(node).is_empty(),
            Matrix::Dense(_) => true,
        };
        observed(links) && observed(attributes) && linked
    };
    let order = sampler.order().into_iter().filter(|&node| known(node));
    order.take(MOST_NODES).map(|node| node as u32).collect()
}

/// The hidden columns that most of the sampled nodes have: for each node, whether it has more than
/// the mean.
fn targets(graph: &Graph, hidden: &HiddenColumns, sample: &[u32]) -> Vec<Vec<bool>> {
    let Some(block) = graph.block(ATTRIBUTES) else { return Vec::new() };
    let above = |values: Vec<f64>| -> Vec<bool> {
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        values.into_iter().map(|value| value > mean).collect()
    };
    let values = hidden_values(block, &hidden.columns, sample);
    let mut targets: Vec<Vec<bool>> = values.into_iter().map(above).collect();
    let count = |target: &Vec<bool>| target.iter().filter(|&&has| has).count();
    targets.sort_by_key(|target| std::cmp::Reverse(count(target)));
    targets.truncate(MOST_TARGETS);
    targets
}

/// An orthonormal basis of the dominant right singular vectors of a view, centred. The random start
/// of a row belongs to its key.
fn right_basis(
    views: &Views,
    k: usize,
    rounds: usize,
    key: impl Fn(usize) -> u64 + Sync,
) -> Tall<f32> {
    let view = &views.views()[k];
    let columns = COLUMNS.min(view.cols());
    let mut basis = Tall::from_rows(view.cols(), columns, |row, out: &mut [f32]| {
        let mut numbers = [0.0; COLUMNS];
        fill_normal(BASIS, key(row), &mut numbers);
        out.iter_mut().zip(numbers).for_each(|(out, number)| *out = number as f32);
    });
    for _ in 0..rounds {
        let mut block = product(views, k, &basis);
        centre(&mut block);
        let block = orthonormalise(block, &LocalReducer);
        let next = view.operator.apply_transposed(1.0, &block, None, &LocalReducer);
        basis = orthonormalise(next, &LocalReducer);
    }
    basis
}

/// `Y_k basis`.
fn product(views: &Views, k: usize, basis: &Tall<f32>) -> Tall<f32> {
    let mut block = Tall::zeros(views.nodes(), basis.cols());
    views.views()[k].operator.apply(1.0, basis.into(), &mut block, &LocalReducer);
    block
}

fn centre(block: &mut Tall<f32>) {
    let rows = block.rows().max(1) as f64;
    let sums = column_sums(block, |_| true, &LocalReducer);
    let means: Vec<f64> = sums.iter().map(|sum| sum / rows).collect();
    subtract_row(block, &means, |_| true);
}

/// Adds the squared lengths of the rows, with the norm of the block's Gram matrix as unit.
fn add_lengths(block: &Tall<f32>, lengths: &mut [f64]) {
    let gram = gram(block, &LocalReducer);
    let norm = gram.norm_l2();
    if !(norm > 0.0 && norm.is_finite()) {
        return;
    }
    for (row, length) in lengths.iter_mut().enumerate() {
        let square: f64 = block.row(row).iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        *length += square / norm;
    }
}

/// Standard deviation over mean of the roots.
fn relative_spread(squares: &[f64]) -> f64 {
    let count = squares.len().max(1) as f64;
    let mean = squares.iter().map(|square| square.sqrt()).sum::<f64>() / count;
    let variance = squares.iter().map(|square| (square.sqrt() - mean).powi(2)).sum::<f64>() / count;
    if mean > 0.0 { variance.sqrt() / mean } else { 0.0 }
}
