//! The matrix of a view as an operator.

use std::collections::HashSet;

use gage_linalg::kernel::{RowInit, SpmmRows};
use gage_linalg::{Real, Reducer, Tall, Workspace};

use super::factor::{Diagonal, Factor, Stored};
use super::input::Input;
use super::propagation::Propagation;

/// The matrix `Y` of a view, one row per node: `diag(rows) p(P) M`. The polynomial `p(P)`, the
/// matrix `M` and the row factors may each be absent. `Y` is applied to blocks and never formed.
#[derive(Clone, Debug)]
pub(crate) struct Operator {
    /// Where the view was built.
    pub(crate) workspace: Workspace,
    pub(crate) propagation: Option<Propagation>,
    pub(crate) base: Option<Factor>,
    pub(crate) row_scale: Diagonal,
    pub(crate) local_rows: usize,
    pub(crate) cols: usize,
}

impl Operator {
    /// What comes before the matrix, applied to a block of all nodes: `diag(rows) p(P) x`. On this
    /// thread and not counted: a part of something larger.
    pub(crate) fn smoothed<T: Real>(&self, x: &Tall<T>) -> Tall<T> {
        let mut out = Tall::uninit_in(x.workspace(), x.rows(), x.cols());
        match &self.propagation {
            Some(propagation) => {
                let step = |factor, x: &Tall<T>, begin: RowInit<'_, T>, next: &mut Tall<T>| {
                    let Factor { stored, .. } = &propagation.step;
                    match stored {
                        Stored::Sparse { matrix, .. } => {
                            let diagonals = propagation.step.diagonals();
                            let task =
                                SpmmRows { matrix, diagonals, factor, x, init: begin, first: 0 };
                            task.run(next.data_mut());
                        }
                        _ => propagation.step.apply(factor, x.into(), begin, next),
                    }
                };
                propagation.horner(1.0, x, RowInit::OVERWRITE, &mut out, step);
            }
            None => out.data_mut().copy_from_slice(x.data()),
        }
        if let Some(scale) = &self.row_scale {
            for (row, &scale) in scale.iter().enumerate() {
                let scale = T::from_f64(scale);
                out.row_mut(row).iter_mut().for_each(|value| *value *= scale);
            }
        }
        out
    }

    /// Multiply-adds of [`smoothed`](Self::smoothed) for one column.
    pub(crate) fn smoothing_work(&self) -> f64 {
        self.propagation.as_ref().map_or(0.0, |propagation| {
            propagation.coefficients.len().saturating_sub(1) as f64 * propagation.step.work()
        })
    }

    /// Multiply-adds of one application to one column.
    pub(crate) fn work(&self) -> f64 {
        self.smoothing_work() + self.base.as_ref().map_or(0.0, Factor::work)
    }

    /// `out += factor * Y x` for this worker's rows. `x` has one row per column of `Y`, on every
    /// worker.
    pub(crate) fn apply<T: Real>(
        &self,
        factor: f64,
        x: Input<'_, T>,
        out: &mut Tall<T>,
        reducer: &dyn Reducer,
    ) {
        if let Some(scale) = &self.row_scale {
            let mut y = Tall::zeros_in(out.workspace(), self.local_rows, x.cols());
            self.apply_unscaled(factor, x, &mut y, reducer);
            out.par_update_rows(|row, values| {
                let scale = T::from_f64(scale[row]);
                for (value, &add) in values.iter_mut().zip(y.row(row)) {
                    *value += scale * add;
                }
            });
        } else {
            self.apply_unscaled(factor, x, out, reducer);
        }
    }

    /// As [`apply`](Self::apply), without the row factors.
    fn apply_unscaled<T: Real>(
        &self,
        factor: f64,
        x: Input<'_, T>,
        out: &mut Tall<T>,
        reducer: &dyn Reducer,
    ) {
        let Some(propagation) = &self.propagation else {
            match &self.base {
                Some(base) => base.apply(factor, x, RowInit::ACCUMULATE, out),
                None => {
                    let part = local_part(&x.to_dense(out.workspace()), reducer);
                    let begin = RowInit { multiple: Some((factor, &part)), ..RowInit::ACCUMULATE };
                    out.par_update_rows(|row, values| begin.fill(row, values));
                }
            }
            return;
        };
        let y = match &self.base {
            Some(base) => {
                let mut y = Tall::uninit_in(out.workspace(), self.local_rows, x.cols());
                base.apply(1.0, x, RowInit::OVERWRITE, &mut y);
                y
            }
            None => local_part(&x.to_dense(out.workspace()), reducer),
        };
        propagation.horner(factor, &y, RowInit::ACCUMULATE, out, |factor, z, begin, next| {
            let full = gather(z, propagation.step.cols(), reducer);
            propagation.step.apply(factor, full.as_ref().unwrap_or(z).into(), begin, next);
        });
    }

    /// `factor * Y^T v + column row^T` with an optional outer product, complete on every worker.
    /// `v` has one row per node of this worker.
    pub(crate) fn apply_transposed<T: Real>(
        &self,
        factor: f64,
        v: &Tall<T>,
        outer: Option<(&[f64], &[f64])>,
        reducer: &dyn Reducer,
    ) -> Tall<T> {
        let scaled = self.row_scale.as_ref().map(|scale| {
            Tall::<T>::from_rows_in(v.workspace(), v.rows(), v.cols(), |row, out| {
                let scale = T::from_f64(scale[row]);
                for (out, &value) in out.iter_mut().zip(v.row(row)) {
                    *out = scale * value;
                }
            })
        });
        let alone = reducer.is_single();
        let propagated = self.propagation.as_ref().map(|propagation| {
            smooth_transposed(propagation, scaled.as_ref().unwrap_or(v), reducer)
        });
        let v = propagated.as_ref().or(scaled.as_ref()).unwrap_or(v);
        let mut out = Tall::uninit_in(v.workspace(), self.cols, v.cols());
        let begin = RowInit { outer: outer.filter(|_| alone), ..RowInit::OVERWRITE };
        match &self.base {
            Some(base) => base.apply_transposed(factor, v, begin, &mut out),
            None => {
                let full = gather(v, self.cols, reducer);
                let begin =
                    RowInit { multiple: Some((factor, full.as_ref().unwrap_or(v))), ..begin };
                out.par_update_rows(|row, values| begin.fill(row, values));
            }
        }
        if !alone {
            // Only the product is a sum over nodes; the outer product is added once, afterwards.
            if self.base.is_some() {
                T::all_sum(reducer, out.data_mut());
            }
            let begin = RowInit { outer, ..RowInit::ACCUMULATE };
            out.par_update_rows(|row, values| begin.fill(row, values));
        }
        out
    }

    /// Bytes kept beyond the caller's own matrices.
    pub(crate) fn extra_bytes(&self, seen: &mut HashSet<usize>) -> usize {
        self.base.as_ref().map_or(0, |base| base.extra_bytes(seen))
            + self.propagation.as_ref().map_or(0, |p| p.step.extra_bytes(seen))
            + self.row_scale.as_ref().map_or(0, |scale| 8 * scale.len())
    }

    /// Blocks of `local_rows x width` numbers that one application needs besides input and output.
    pub(crate) fn scratch_blocks(&self) -> usize {
        match &self.propagation {
            Some(p) => 2 + usize::from(p.coefficients.iter().filter(|&&a| a != 0.0).count() > 1),
            None => usize::from(self.row_scale.is_some()),
        }
    }
}

/// `p(P)^T v` for a block with one row per node of this worker.
fn smooth_transposed<T: Real>(
    propagation: &Propagation,
    v: &Tall<T>,
    reducer: &dyn Reducer,
) -> Tall<T> {
    let alone = reducer.is_single();
    let mut out = Tall::uninit_in(v.workspace(), v.rows(), v.cols());
    propagation.horner(1.0, v, RowInit::OVERWRITE, &mut out, |factor, z, begin, next| {
        if alone {
            propagation.step.apply_transposed(factor, z, begin, next);
            return;
        }
        let mut full = Tall::uninit_in(z.workspace(), propagation.step.cols(), z.cols());
        propagation.step.apply_transposed(factor, z, RowInit::OVERWRITE, &mut full);
        T::all_sum(reducer, full.data_mut());
        let part = local_part(&full, reducer);
        next.par_update_rows(|row, values| {
            begin.fill(row, values);
            values.iter_mut().zip(part.row(row)).for_each(|(value, &add)| *value += add);
        });
    });
    out
}

/// All rows of a node block; `None` when this worker already has them all.
fn gather<T: Real>(local: &Tall<T>, nodes: usize, reducer: &dyn Reducer) -> Option<Tall<T>> {
    (local.rows() != nodes).then(|| {
        let rows = T::gather_rows(reducer, local.data(), local.cols());
        let mut full = Tall::zeros_in(local.workspace(), nodes, local.cols());
        full.data_mut().copy_from_slice(&rows);
        full
    })
}

/// The rows of a complete node block that belong to this worker.
fn local_part<T: Real>(full: &Tall<T>, reducer: &dyn Reducer) -> Tall<T> {
    let range = reducer.local_rows(full.rows());
    Tall::from_rows_in(full.workspace(), range.len(), full.cols(), |row, out| {
        out.copy_from_slice(full.row(range.start + row));
    })
}
