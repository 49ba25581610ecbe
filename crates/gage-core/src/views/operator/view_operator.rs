//! The matrix of a view as an operator.

use std::borrow::Cow;
use std::collections::HashSet;

use gage_linalg::kernel::{RowInit, SpmmRows};
use gage_linalg::workers::Partition;
use gage_linalg::{LocalReducer, Real, Reducer, Tall, Workspace};

use super::columns::Diagonal;
use super::factor::{Factor, Stored};
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
    /// Who owns which columns.
    pub(crate) cols: Partition,
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
                        _ => propagation.step.apply(factor, x.into(), begin, next, &LocalReducer),
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

    /// `out += factor * Y x` for the rows of this worker. `x` has one row per own column of `Y`.
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
                Some(base) => base.apply(factor, x, RowInit::ACCUMULATE, out, reducer),
                None => {
                    let x = x.to_dense(out.workspace());
                    let begin = RowInit { multiple: Some((factor, &x)), ..RowInit::ACCUMULATE };
                    out.par_update_rows(|row, values| begin.fill(row, values));
                }
            }
            return;
        };
        let y = match &self.base {
            Some(base) => {
                let mut y = Tall::uninit_in(out.workspace(), self.local_rows, x.cols());
                base.apply(1.0, x, RowInit::OVERWRITE, &mut y, reducer);
                Cow::Owned(y)
            }
            None => x.to_dense(out.workspace()),
        };
        propagation.horner(factor, &y, RowInit::ACCUMULATE, out, |factor, z, begin, next| {
            propagation.step.apply(factor, z.into(), begin, next, reducer);
        });
    }

    /// `factor * Y^T v + column row^T` with an optional outer product, for the own columns of this
    /// worker. `v` has one row per node of this worker.
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
        let propagated = self.propagation.as_ref().map(|propagation| {
            smooth_transposed(propagation, scaled.as_ref().unwrap_or(v), reducer)
        });
        let v = propagated.as_ref().or(scaled.as_ref()).unwrap_or(v);
        let mut out = Tall::uninit_in(v.workspace(), self.cols.own().len(), v.cols());
        let begin = RowInit { outer, ..RowInit::OVERWRITE };
        match &self.base {
            Some(base) => base.apply_transposed(factor, v, begin, &mut out, reducer),
            None => {
                let begin = RowInit { multiple: Some((factor, v)), ..begin };
                out.par_update_rows(|row, values| begin.fill(row, values));
            }
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
    let mut out = Tall::uninit_in(v.workspace(), v.rows(), v.cols());
    propagation.horner(1.0, v, RowInit::OVERWRITE, &mut out, |factor, z, begin, next| {
        propagation.step.apply_transposed(factor, z, begin, next, reducer);
    });
    out
}
