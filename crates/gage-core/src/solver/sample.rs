//! Exact distances among a sample of nodes.

use faer::Mat;

use crate::views::CentredGram;
use gage_linalg::kernel::gram;
use gage_linalg::random::Stream;
use gage_linalg::{LocalReducer, Real, Reducer, Tall};

/// Up to `wanted` different nodes (numbers over all workers) that the view observes.
pub(crate) fn sample_nodes(
    op: &CentredGram<'_>,
    nodes: usize,
    wanted: usize,
    stream: &mut Stream,
    reducer: &dyn Reducer,
) -> Vec<usize> {
    let local = reducer.local_rows(nodes);
    let mut flags = vec![0.0; nodes];
    for row in 0..local.len() {
        flags[local.start + row] = f64::from(op.observes(row));
    }
    reducer.sum_f64(&mut flags);
    let mut seen: Vec<usize> = (0..nodes).filter(|&node| flags[node] > 0.0).collect();
    // A partial shuffle: the first `wanted` places.
    let wanted = wanted.min(seen.len());
    for place in 0..wanted {
        let other = place + stream.below(seen.len() - place);
        seen.swap(place, other);
    }
    seen.truncate(wanted);
    seen
}

/// The centred Gram matrix of the view among the given nodes, exactly: one pass as wide as the
/// sample.
pub(crate) fn sampled_gram(
    op: &CentredGram<'_>,
    sample: &[usize],
    nodes: usize,
    reducer: &dyn Reducer,
) -> Mat<f64> {
    let local = reducer.local_rows(nodes);
    let mut unit = Tall::<f64>::zeros_in(op.workspace(), local.len(), sample.len());
    for (column, &node) in sample.iter().enumerate() {
        if local.contains(&node) {
            unit.row_mut(node - local.start)[column] = 1.0;
        }
    }
    gram(&op.project(&unit, reducer), &LocalReducer)
}

/// Rows of a tall matrix for the given nodes, complete on every worker.
pub(crate) fn sampled_rows<T: Real>(
    a: &Tall<T>,
    sample: &[usize],
    nodes: usize,
    reducer: &dyn Reducer,
) -> Mat<f64> {
    let local = reducer.local_rows(nodes);
    let cols = a.cols();
    let mut values = vec![0.0; sample.len() * cols];
    for (place, &node) in sample.iter().enumerate() {
        if local.contains(&node) {
            let row = a.row(node - local.start);
            for (value, x) in values[place * cols..(place + 1) * cols].iter_mut().zip(row) {
                *value = x.to_f64();
            }
        }
    }
    reducer.sum_f64(&mut values);
    Mat::from_fn(sample.len(), cols, |i, j| values[i * cols + j])
}

/// Squared distances over all pairs from two Gram matrices: sums of `(d_model - d_true)^2` and of
/// `d_true^2`.
pub(crate) fn distance_sums(truth: &Mat<f64>, model: &Mat<f64>) -> (f64, f64) {
    let distance = |g: &Mat<f64>, i: usize, j: usize| g[(i, i)] + g[(j, j)] - 2.0 * g[(i, j)];
    let (mut error, mut square) = (0.0, 0.0);
    for j in 0..truth.ncols() {
        for i in 0..j {
            let exact = distance(truth, i, j);
            error += (distance(model, i, j) - exact).powi(2);
            square += exact * exact;
        }
    }
    (error, square)
}

/// `sqrt(sum (d_model - d_true)^2 / sum d_true^2)` over all pairs, for squared distances `d`.
pub(crate) fn relative_distance_error(truth: &Mat<f64>, model: &Mat<f64>) -> f64 {
    let (error, square) = distance_sums(truth, model);
    if square > 0.0 { (error / square).sqrt() } else { error.sqrt() }
}
