//! The centred Gram matrix of a view as an operator.
//!
//! Let `Y` be the matrix of a view: one row per node, zero rows outside the observed set `O`, and
//! `n = |O|`. With `J = diag(1_O) - 1_O 1_O^T / n` the centred Gram matrix is
//!
//! ```text
//! X = J Y Y^T J,        X_ij = (y_i - m) . (y_j - m) for i, j in O,   m = Y^T 1_O / n
//! ```
//!
//! and is not formed. With `s = Y^T 1_O`, `B = Y^T J V = Y^T V - s mean_O(V)^T` is one pass over
//! the data, and `X V = J Y B = Y B - 1_O (s^T B / n)` a second one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::graph::Mask;
use gage_linalg::kernel::{
    SparseSignSketch, add_scaled, column_sums, square_times_tall, subtract_row, weighted_row_sum,
};
use gage_linalg::workers::Partition;
use gage_linalg::{AnyTallRef, Real, Reducer, Tall, Workspace};

use super::input::Input;
use super::view_operator::Operator;

/// A view prepared for the solver: operator, observed nodes, centring, and scale.
#[derive(Debug)]
pub(crate) struct CentredGram<'a> {
    operator: &'a Operator,
    mask: Option<&'a Mask>,
    /// `s = Y^T 1_O` of the own columns, unscaled.
    sums: Vec<f64>,
    observed: f64,
    /// Whether some node, on any worker, is unobserved.
    partial: bool,
    /// `Y` is multiplied by this, so that all views have the same scale.
    pub(crate) unit: f64,
    /// `X` (unscaled), where multiplying by it is faster than two passes.
    pub(crate) explicit: Option<Arc<Tall<f32>>>,
    uncentred_scale: f64,
    passes: AtomicUsize,
    /// Passes of the run that this one resumes.
    earlier: AtomicUsize,
}

impl<'a> CentredGram<'a> {
    /// Prepares the centring with one product of `Y^T` and a vector. `mask` holds the observed
    /// nodes among this worker's rows.
    pub(crate) fn new(
        operator: &'a Operator,
        mask: Option<&'a Mask>,
        reducer: &dyn Reducer,
    ) -> CentredGram<'a> {
        let ones =
            Tall::<f64>::from_rows_in(&operator.workspace, operator.local_rows, 1, |row, out| {
                out[0] = f64::from(mask.is_none_or(|mask| mask.contains(row)));
            });
        let sums = operator.apply_transposed(1.0, &ones, None, reducer).data().to_vec();
        let rows = operator.local_rows;
        let mut counts = [mask.map_or(rows, Mask::count) as f64, rows as f64];
        reducer.sum_f64(&mut counts);
        let squares = reducer.sum(sums.iter().map(|s| s * s).sum::<f64>());
        CentredGram {
            operator,
            mask,
            sums,
            observed: counts[0],
            partial: counts[0] < counts[1],
            unit: 1.0,
            explicit: None,
            uncentred_scale: squares / counts[0].max(1.0),
            passes: AtomicUsize::new(0),
            earlier: AtomicUsize::new(0),
        }
    }

    /// Whether the node of this row is observed.
    pub(crate) fn observes(&self, row: usize) -> bool {
        self.mask.is_none_or(|mask| mask.contains(row))
    }

    /// Whether some nodes are unobserved.
    pub(crate) fn partial(&self) -> bool {
        self.partial
    }

    /// Number of observed nodes over all workers.
    pub(crate) fn observed(&self) -> f64 {
        self.observed
    }

    /// Who owns which columns of `Y`.
    pub(crate) fn columns(&self) -> &Partition {
        &self.operator.cols
    }

    /// Number of own columns of `Y`.
    pub(crate) fn cols(&self) -> usize {
        self.operator.cols.own().len()
    }

    /// Where the view was built.
    pub(crate) fn workspace(&self) -> &Workspace {
        &self.operator.workspace
    }

    pub(crate) fn local_rows(&self) -> usize {
        self.operator.local_rows
    }

    /// Products with `Y` or `Y^T` so far, including those of the run that this one resumes.
    pub(crate) fn passes(&self) -> usize {
        self.passes_done() + self.earlier.load(Ordering::Relaxed)
    }

    /// Products with `Y` or `Y^T` in this run.
    pub(crate) fn passes_done(&self) -> usize {
        self.passes.load(Ordering::Relaxed)
    }

    /// Adds the passes of the run that this one resumes.
    pub(crate) fn count_from(&self, earlier: usize) {
        self.earlier.store(earlier, Ordering::Relaxed);
    }

    /// Resets the count after the narrow probes that measure the view.
    pub(crate) fn reset_passes(&self) {
        self.passes.store(0, Ordering::Relaxed);
    }

    /// `n |m|^2` with the mean row `m`: the order of the part of the Gram matrix that centring
    /// removes.
    pub(crate) fn uncentred_scale(&self) -> f64 {
        self.uncentred_scale
    }

    /// Mean of the rows of `Y` (scaled) in the own columns, `m = s / n`.
    pub(crate) fn mean(&self) -> Vec<f64> {
        self.sums.iter().map(|s| self.unit * s / self.observed.max(1.0)).collect()
    }

    /// Mean of the rows of `v` over the observed nodes.
    pub(crate) fn mean_over_observed<T: Real>(
        &self,
        v: &Tall<T>,
        reducer: &dyn Reducer,
    ) -> Vec<f64> {
        let mut mean = column_sums(v, |row| self.observes(row), reducer);
        mean.iter_mut().for_each(|sum| *sum /= self.observed.max(1.0));
        mean
    }

    /// `Y^T J v`: one pass. Rows of `v` outside the observed set are ignored.
    pub(crate) fn project<T: Real>(&self, v: &Tall<T>, reducer: &dyn Reducer) -> Tall<T> {
        let mean = self.mean_over_observed(v, reducer);
        self.project_about(v, &mean, reducer)
    }

    /// As [`project`](Self::project), given the mean of the rows of `v` over the observed nodes.
    pub(crate) fn project_about<T: Real>(
        &self,
        v: &Tall<T>,
        mean: &[f64],
        reducer: &dyn Reducer,
    ) -> Tall<T> {
        self.passes.fetch_add(1, Ordering::Relaxed);
        let masked = self.mask.filter(|_| self.partial()).map(|mask| {
            Tall::<T>::from_rows_in(v.workspace(), v.rows(), v.cols(), |row, out| {
                if mask.contains(row) {
                    out.copy_from_slice(v.row(row));
                }
            })
        });
        let column: Vec<f64> = self.sums.iter().map(|sum| -self.unit * sum).collect();
        let v = masked.as_ref().unwrap_or(v);
        self.operator.apply_transposed(self.unit, v, Some((&column, mean)), reducer)
    }

    /// `out += factor * J Y b`: one pass.
    pub(crate) fn expand_into<T: Real>(
        &self,
        factor: f64,
        b: &Tall<T>,
        out: &mut Tall<T>,
        reducer: &dyn Reducer,
    ) {
        let mean = self.mean_of_expansion(b.into(), reducer);
        let shift: Vec<f64> = mean.iter().map(|m| factor * m).collect();
        self.expand_uncentred(factor, b.into(), out, reducer);
        subtract_row(out, &shift, |row| self.observes(row));
    }

    /// `out += factor * Y b` on the observed rows, without centring: one pass.
    pub(crate) fn expand_uncentred<T: Real>(
        &self,
        factor: f64,
        b: Input<'_, T>,
        out: &mut Tall<T>,
        reducer: &dyn Reducer,
    ) {
        self.passes.fetch_add(1, Ordering::Relaxed);
        let factor = factor * self.unit;
        match self.mask.filter(|_| self.partial()) {
            None => self.operator.apply(factor, b, out, reducer),
            Some(mask) => {
                let mut product = Tall::zeros_in(out.workspace(), out.rows(), out.cols());
                self.operator.apply(factor, b, &mut product, reducer);
                out.par_update_rows(|row, values| {
                    if mask.contains(row) {
                        for (value, &add) in values.iter_mut().zip(product.row(row)) {
                            *value += add;
                        }
                    }
                });
            }
        }
    }

    /// `X` (unscaled), if it is explicit and in this number type.
    pub(crate) fn explicit_as<T: Real>(&self) -> Option<&Tall<T>> {
        self.explicit.as_ref().and_then(|gram| AnyTallRef::F32(gram).downcast())
    }

    /// Mean over the observed nodes of the rows of `Y b`: `s^T b / n`, without a pass.
    pub(crate) fn mean_of_expansion<T: Real>(
        &self,
        b: Input<'_, T>,
        reducer: &dyn Reducer,
    ) -> Vec<f64> {
        let mut mean = match b {
            Input::Tall(b) => weighted_row_sum(b, &self.sums),
            Input::Sketch(b) => b.weighted_row_sum(&self.sums),
        };
        reducer.sum_f64(&mut mean);
        let scale = self.unit / self.observed.max(1.0);
        mean.iter_mut().for_each(|m| *m *= scale);
        mean
    }
}

/// `Y_k^T J_k v` of every view; `X_k v` of those that are [explicit](CentredGram::explicit_as).
pub(crate) fn project_all<T: Real>(
    ops: &[CentredGram<'_>],
    v: &Tall<T>,
    reducer: &dyn Reducer,
) -> Vec<Tall<T>> {
    // Views that observe all nodes share one mean.
    let mut shared = None;
    ops.iter()
        .map(|op| {
            if let Some(gram) = op.explicit_as::<T>() {
                op.passes.fetch_add(1, Ordering::Relaxed);
                return square_times_tall(op.unit * op.unit, gram, v);
            }
            if op.partial() {
                return op.project(v, reducer);
            }
            let mean = shared.get_or_insert_with(|| op.mean_over_observed(v, reducer));
            op.project_about(v, mean, reducer)
        })
        .collect()
}

/// The term of a view in a sum over views.
pub(crate) enum Part<T> {
    /// `J Y b` for this `b`.
    Expanded(Tall<T>),
    /// The same for a sparse sign sketch `b`.
    Sketch(SparseSignSketch),
    /// This block: a product with an explicit `X`.
    Product(Tall<T>),
}

/// `out` plus the terms of all views, each times its factor. `part(k)` makes the term of a view
/// when it is needed; it is dropped before the next one.
pub(crate) fn expand_all<T: Real>(
    ops: &[CentredGram<'_>],
    factors: &[f64],
    mut out: Tall<T>,
    mut part: impl FnMut(usize) -> Part<T>,
    reducer: &dyn Reducer,
) -> Tall<T> {
    let width = out.cols();
    // The means of all views that observe all nodes are subtracted in one pass at the end.
    let mut shift = vec![0.0; width];
    for (k, op) in ops.iter().enumerate() {
        let part = part(k);
        let b = match &part {
            Part::Expanded(b) => Input::Tall(b),
            Part::Sketch(b) => Input::Sketch(b),
            Part::Product(product) => {
                op.passes.fetch_add(1, Ordering::Relaxed);
                add_scaled(&mut out, factors[k], product);
                continue;
            }
        };
        let mean = op.mean_of_expansion(b, reducer);
        op.expand_uncentred(factors[k], b, &mut out, reducer);
        if op.partial() {
            let shift: Vec<f64> = mean.iter().map(|m| factors[k] * m).collect();
            subtract_row(&mut out, &shift, |row| op.observes(row));
        } else {
            shift.iter_mut().zip(&mean).for_each(|(shift, m)| *shift += factors[k] * m);
        }
    }
    subtract_row(&mut out, &shift, |_| true);
    out
}
