//! The Frobenius norm of a centred Gram matrix, without forming the matrix.

use crate::views::operator::{CentredGram, Factor, Stored, View};
use faer::Mat;
use gage_linalg::kernel::{add_scaled, cross_gram, gram, orthonormalise, times_small};
use gage_linalg::random::fill_signs;
use gage_linalg::workers::Partition;
use gage_linalg::{Real, Reducer, Tall};
use rayon::prelude::*;

use super::centring::CentringTerm;
use super::exact::{exact_limit, exact_side, unit};
use super::ring;
use super::symmetric_product::{SymmetricProduct, square_lengths};

/// Multiply-adds up to which a view is probed with all unit vectors, which is exact.
const PROBE_ALL_WORK: f64 = 1e9;
/// Random probes for the dominant subspace, and for the trace of the rest.
const PROBES: (usize, usize) = (16, 32);
/// `||X||_F` of a view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GramNorm {
    pub(crate) value: f64,
    pub(crate) exact: bool,
}

/// `||X||_F = ||Y^T J Y||_F`, for the unscaled view.
///
/// A stored sparse matrix: exactly, as `||Y^T Y - n m m^T||` (cost: sum of squared
/// row lengths) or by `Y Y^T` (column lengths). Views with few rows or columns: exactly, by probing
/// with unit vectors. Otherwise an estimate good to about one percent: the part in a sketched
/// dominant subspace exactly, the rest by random probes (Hutch++ of Meyer, Musco, Musco and
/// Woodruff, applied to `X^2`).
///
/// Over several workers the exact norms are the same to rounding ([`ring`](super::ring)), and so
/// are the estimates: their random signs belong to the ids of nodes. `formed` says that one process
/// would form the Gram matrix, which is exact.
pub(crate) fn gram_norm(
    view: &View,
    op: &CentredGram<'_>,
    (node_keys, formed): (&[u64], bool),
    seed: u64,
    reducer: &dyn Reducer,
) -> GramNorm {
    let nodes = reducer.sum(node_keys.len() as f64) as usize;
    if view.operator.propagation.is_none()
        && view.operator.row_scale.is_none()
        && let Some(base) = &view.operator.base
        && let Some(squared) = exact_sparse(base, op, reducer)
    {
        return GramNorm { value: squared.max(0.0).sqrt(), exact: true };
    }
    let work = reducer.sum(view.operator.work());
    if formed || probe_all_work(work, view, nodes) <= PROBE_ALL_WORK {
        return GramNorm { value: probe_all(op, nodes, reducer).sqrt(), exact: true };
    }
    let mut squared = estimate::<f32>(op, node_keys, seed, reducer);
    if !(squared.is_normal() && squared < f64::from(f32::MAX)) {
        // Single precision overflowed or underflowed.
        squared = estimate::<f64>(op, node_keys, seed, reducer);
    }
    GramNorm { value: squared.max(0.0).sqrt(), exact: false }
}

/// Approximate multiply-adds of [`gram_norm`].
pub(crate) fn norm_work(view: &View, nodes: usize) -> f64 {
    if view.operator.propagation.is_none()
        && view.operator.row_scale.is_none()
        && let Some(Factor { stored: Stored::Sparse { matrix, transposed }, shift: None, .. }) =
            &view.operator.base
    {
        let squares =
            square_lengths(matrix).min(transposed.as_deref().map_or(f64::INFINITY, square_lengths));
        if squares <= exact_limit(matrix) {
            return squares / 2.0;
        }
    }
    let probes = (4 * PROBES.0 + 2 * PROBES.1) as f64;
    let work = view.operator.work();
    match probe_all_work(work, view, nodes) {
        all if all <= PROBE_ALL_WORK => all,
        _ => work * probes,
    }
}

/// Multiply-adds of [`probe_all`]: two passes in double precision, which count twice.
fn probe_all_work(work: f64, view: &View, nodes: usize) -> f64 {
    4.0 * nodes.min(view.cols()) as f64 * work
}

/// The exact norm, if it is cheap and `Y` is stored sparse.
fn exact_sparse(base: &Factor, op: &CentredGram<'_>, reducer: &dyn Reducer) -> Option<f64> {
    if !reducer.is_single() {
        return ring::squared_norm(base, op, exact_side(base, reducer)?, reducer);
    }
    let Stored::Sparse { matrix, transposed } = &base.stored else { return None };
    if base.shift.is_some() {
        return None;
    }
    let transposed = transposed.as_deref().unwrap_or(matrix);
    // Y^T Y costs the squared row lengths, Y Y^T the squared column lengths.
    let (by_rows, by_columns) = (square_lengths(matrix), square_lengths(transposed));
    if by_rows.min(by_columns) > exact_limit(matrix) {
        return None;
    }
    let left: Vec<f64> = (0..matrix.rows())
        .map(|i| if op.observes(i) { unit(&base.left, i) } else { 0.0 })
        .collect();
    let right: Vec<f64> = (0..matrix.cols()).map(|j| unit(&base.right, j)).collect();
    let n = op.observed();
    let mean = op.mean();
    Some(if by_rows <= by_columns {
        // `Y^T J Y = G - n m m^T` with `G = Y^T Y`.
        let product = SymmetricProduct::new(transposed, matrix, &right, &left, op.workspace());
        let half = mean.iter().map(|m| 0.5 * n * m).collect();
        product.squared_distance(&CentringTerm::new(half, mean))
    } else {
        // `(J H J)_ij = H_ij - h_i - h_j + h` between observed nodes with `H = Y Y^T`, `h_i = y_i .
        // m` and their mean `h`.
        let observed: Vec<f64> =
            (0..matrix.rows()).map(|i| f64::from(u8::from(op.observes(i)))).collect();
        let mut means: Vec<f64> = (0..matrix.rows())
            .into_par_iter()
            .map(|i| {
                let weights = matrix.row(i).map(|(j, v)| v * right[j as usize] * mean[j as usize]);
                left[i] * weights.sum::<f64>()
            })
            .collect();
        let half = 0.5 * means.iter().sum::<f64>() / n;
        means.iter_mut().zip(&observed).for_each(|(mean, seen)| *mean -= half * seen);
        let product = SymmetricProduct::new(matrix, transposed, &left, &right, op.workspace());
        product.squared_distance(&CentringTerm::new(means, observed))
    })
}

/// `||X||_F^2` from unit vectors on the smaller side.
fn probe_all(op: &CentredGram<'_>, nodes: usize, reducer: &dyn Reducer) -> f64 {
    const WIDTH: usize = 128;
    let mut total = 0.0;
    let by_columns = op.columns().all() <= nodes;
    let count = if by_columns { op.columns().all() } else { nodes };
    let first_row = Partition::gathered(op.local_rows(), reducer).own().start;
    let first_col = op.columns().own().start;
    for first in (0..count).step_by(WIDTH) {
        let width = WIDTH.min(count - first);
        let unit_block = |rows: usize, offset: usize| {
            Tall::<f64>::from_rows_in(op.workspace(), rows, width, |row, out| {
                if let Some(slot) = (row + offset).checked_sub(first).and_then(|f| out.get_mut(f)) {
                    *slot = 1.0;
                }
            })
        };
        let mut z = Tall::<f64>::zeros_in(op.workspace(), op.local_rows(), width);
        if by_columns {
            // ||Y^T J Y||: expand unit columns, project back.
            op.expand_into(1.0, &unit_block(op.cols(), first_col), &mut z, reducer);
            let back = op.project(&z, reducer);
            total += reducer.sum(back.data().iter().map(|v| v * v).sum::<f64>());
        } else {
            let b = op.project(&unit_block(op.local_rows(), first_row), reducer);
            op.expand_into(1.0, &b, &mut z, reducer);
            total += trace(&gram(&z, reducer));
        }
    }
    total
}

fn trace(m: &Mat<f64>) -> f64 {
    (0..m.ncols()).map(|f| m[(f, f)]).sum()
}

/// The dominant part exactly, the rest by random probes.
fn estimate<T: Real>(
    op: &CentredGram<'_>,
    node_keys: &[u64],
    seed: u64,
    reducer: &dyn Reducer,
) -> f64 {
    let random = |width: usize, salt: u64| {
        Tall::<T>::from_rows_in(op.workspace(), op.local_rows(), width, |row, out| {
            if op.observes(row) {
                fill_signs(seed ^ salt, node_keys[row], out);
            }
        })
    };
    let times_x = |v: &Tall<T>| {
        let b = op.project(v, reducer);
        let mut out = Tall::<T>::zeros_in(v.workspace(), op.local_rows(), v.cols());
        op.expand_into(1.0, &b, &mut out, reducer);
        out
    };
    let basis = orthonormalise(times_x(&random(PROBES.0, 0x5eed)), reducer);
    let inside = trace(&gram(&times_x(&basis), reducer));
    let mut probes = random(PROBES.1, 0xbeef);
    let overlap = cross_gram(&basis, &probes, reducer);
    let part = times_small(&basis, overlap.as_ref());
    add_scaled(&mut probes, -1.0, &part);
    let outside = trace(&gram(&times_x(&probes), reducer)) / PROBES.1 as f64;
    inside + outside
}
