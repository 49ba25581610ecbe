//! Exact distances among a sample of nodes.

use std::collections::HashMap;

use faer::Mat;

use crate::views::CentredGram;
use gage_linalg::kernel::gram;
use gage_linalg::random::Stream;
use gage_linalg::workers::Partition;
use gage_linalg::{Real, Reducer, Tall};

/// Up to `wanted` different nodes (positions over all workers) that the view observes.
pub(crate) fn sample_nodes(
    op: &CentredGram<'_>,
    wanted: usize,
    stream: &mut Stream,
    (rows, reducer): (&Partition, &dyn Reducer),
) -> Vec<usize> {
    let seen: Vec<usize> = (0..op.local_rows()).filter(|&row| op.observes(row)).collect();
    // Every worker draws the same places in the list of all observed nodes.
    let places = Partition::gathered(seen.len(), reducer);
    let drawn = shuffled_places(places.all(), wanted, stream);
    let own = places.own();
    let mut nodes: Vec<f64> = drawn
        .iter()
        .map(
            |place| {
                if own.contains(place) { seen[place - own.start] + rows.own().start } else { 0 }
            },
        )
        .map(|node| node as f64)
        .collect();
    reducer.sum_f64(&mut nodes);
    nodes.into_iter().map(|node| node as usize).collect()
}

/// The first places of a shuffle of `0..count`, of which only those that moved are kept.
fn shuffled_places(count: usize, wanted: usize, stream: &mut Stream) -> Vec<usize> {
    let mut moved: HashMap<usize, usize> = HashMap::new();
    let wanted = wanted.min(count);
    (0..wanted)
        .map(|place| {
            let other = place + stream.below(count - place);
            let at_place = moved.get(&place).copied().unwrap_or(place);
            let at_other = moved.insert(other, at_place).unwrap_or(other);
            if other == place { at_place } else { at_other }
        })
        .collect()
}

/// The centred Gram matrix of the view among the given nodes, exactly: one pass as wide as the
/// sample.
pub(crate) fn sampled_gram(
    op: &CentredGram<'_>,
    sample: &[usize],
    (rows, reducer): (&Partition, &dyn Reducer),
) -> Mat<f64> {
    let local = rows.own();
    let mut unit = Tall::<f64>::zeros_in(op.workspace(), local.len(), sample.len());
    for (column, &node) in sample.iter().enumerate() {
        if local.contains(&node) {
            unit.row_mut(node - local.start)[column] = 1.0;
        }
    }
    gram(&op.project(&unit, reducer), reducer)
}

/// Rows of a tall matrix for the given nodes, complete on every worker.
pub(crate) fn sampled_rows<T: Real>(
    a: &Tall<T>,
    sample: &[usize],
    (rows, reducer): (&Partition, &dyn Reducer),
) -> Mat<f64> {
    let local = rows.own();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_a_shuffle_of_the_whole_list() {
        for (count, wanted) in [(1, 1), (5, 9), (40, 40), (200, 30)] {
            let mut all: Vec<usize> = (0..count).collect();
            let mut stream = Stream::new(7);
            for place in 0..wanted.min(count) {
                all.swap(place, place + stream.below(count - place));
            }
            all.truncate(wanted);
            assert_eq!(shuffled_places(count, wanted, &mut Stream::new(7)), all);
        }
    }
}
