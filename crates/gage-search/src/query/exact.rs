//! Nearest nodes by a scan of all rows.

use rayon::prelude::*;

use gage_linalg::kernel::TopK;
use gage_linalg::{AnyTallRef, Real, Tall};

use crate::space::{Metric, Neighbour, Space, length, takes_part};

/// The `k` nodes nearest to a node, nearest first; `None` when its own row is zero or without a
/// direction. Equally near ones come in the order of the nodes. Cost `n` times the columns.
pub fn nearest(space: &Space<'_>, node: usize, k: usize, metric: Metric) -> Option<Vec<Neighbour>> {
    match space.rows {
        AnyTallRef::F32(rows) => scan(rows, space, node, k, metric),
        AnyTallRef::F64(rows) => scan(rows, space, node, k, metric),
    }
}

fn scan<T: Real>(
    rows: &Tall<T>,
    space: &Space<'_>,
    node: usize,
    k: usize,
    metric: Metric,
) -> Option<Vec<Neighbour>> {
    let total = &space.total;
    if node >= rows.rows() || !takes_part(rows.row(node), total, metric) {
        return None;
    }
    let own: Vec<f64> = rows.row(node).iter().map(|x| x.to_f64()).collect();
    let own_length = length(rows.row(node), total);
    // What a view with these weights contributes.
    let value = |row: &[T], weights: &[f64]| -> f64 {
        let terms = own.iter().zip(row).zip(weights);
        match metric {
            Metric::Cosine => {
                let dot: f64 = terms.map(|((x, y), w)| w * x * y.to_f64()).sum();
                dot / (own_length * length(row, total)).max(f64::MIN_POSITIVE)
            }
            Metric::Distance => terms.map(|((x, y), w)| w * (x - y.to_f64()).powi(2)).sum(),
        }
    };
    let sign = if metric == Metric::Cosine { -1.0 } else { 1.0 };
    let found = (0..rows.rows())
        .into_par_iter()
        .filter(|&other| other != node && takes_part(rows.row(other), total, metric))
        .fold(
            || TopK::new(k),
            |mut top, other| {
                top.offer(sign * value(rows.row(other), total), other as u32);
                top
            },
        )
        .reduce(|| TopK::new(k), TopK::merge);
    let found = found.into_sorted().into_iter().map(|(key, other)| {
        let row = rows.row(other as usize);
        let by_view: Vec<f64> = space.weights.iter().map(|w| value(row, w)).collect();
        let value = if by_view.is_empty() { sign * key } else { by_view.iter().sum() };
        Neighbour { node: other as usize, value, by_view }
    });
    Some(found.collect())
}
