//! Products of a factor whose rows, and the rows of whose blocks, are spread over workers.
//!
//! Columns are renumbered: a worker stores only those that its rows name, in ascending order. A
//! product receives these rows of the block from their owners; a transposed product of a matrix
//! that is not symmetric returns its contributions to them. Blocks travel in panels of a few
//! columns, so what is needed of others is never held at full width. Every number is added in the
//! order of a single process, except contributions that return, which are added in the order of the
//! workers.

use gage_linalg::kernel::{Diagonals, RowInit, spmm, spmm_transposed};
use gage_linalg::workers::Halo;
use gage_linalg::{Real, Reducer, SparseMatrix, Tall};

use super::columns::NeededColumns;
use super::factor::{Factor, Stored};
use super::input::Input;

/// Columns of a block that travel at a time.
const PANEL: usize = 32;

impl Factor {
    /// `out = begin + factor * self x`; `x` and `out` hold the own rows of this worker.
    pub(crate) fn apply<T: Real>(
        &self,
        factor: f64,
        x: Input<'_, T>,
        begin: RowInit<'_, T>,
        out: &mut Tall<T>,
        reducer: &dyn Reducer,
    ) {
        match &self.needed {
            Some(needed) => {
                Spread { factor: self, needed, reducer }.apply(factor, x, begin, out);
            }
            None => self.apply_local(factor, x, begin, out),
        }
    }

    /// `out = begin + factor * self^T x`, with one row of `out` for each own column.
    pub(crate) fn apply_transposed<T: Real>(
        &self,
        factor: f64,
        x: &Tall<T>,
        begin: RowInit<'_, T>,
        out: &mut Tall<T>,
        reducer: &dyn Reducer,
    ) {
        match &self.needed {
            Some(needed) => {
                Spread { factor: self, needed, reducer }.apply_transposed(factor, x, begin, out);
            }
            None => self.apply_transposed_local(factor, x, begin, out),
        }
    }
}

/// A factor of one of several workers.
struct Spread<'a> {
    factor: &'a Factor,
    needed: &'a NeededColumns,
    reducer: &'a dyn Reducer,
}

impl Spread<'_> {
    fn halo(&self) -> &Halo {
        &self.needed.halo
    }

    /// `out = begin + a * factor x` for own rows of `x` and `out`.
    fn apply<T: Real>(&self, a: f64, x: Input<'_, T>, begin: RowInit<'_, T>, out: &mut Tall<T>) {
        let (factor, workspace) = (self.factor, out.workspace().clone());
        match (&factor.stored, x) {
            (Stored::Sparse { .. }, Input::Sketch(x)) if factor.shift.is_none() => {
                let needed = x.gathered(self.halo(), self.reducer);
                factor.apply_local(a, Input::Sketch(&needed), begin, out);
            }
            (Stored::Sparse { matrix, .. }, x) => {
                let x = x.to_dense(&workspace);
                let product = Product {
                    matrix,
                    left: factor.left.as_deref(),
                    right: factor.right.as_deref(),
                    shift: factor.shift.as_deref(),
                    factor: a,
                };
                self.forward(&product, &x, begin, out);
            }
            (_, x) => {
                let x = x.to_dense(&workspace);
                let needed = self.gathered(&x, 0, x.cols());
                factor.apply_local(a, (&needed).into(), begin, out);
            }
        }
    }

    /// `out = begin + a * factor^T x` for own rows of `x` and own columns of the factor.
    fn apply_transposed<T: Real>(
        &self,
        a: f64,
        x: &Tall<T>,
        begin: RowInit<'_, T>,
        out: &mut Tall<T>,
    ) {
        let factor = self.factor;
        let (left, right) = (factor.left.as_deref(), factor.right.as_deref());
        let shift = factor.shift.as_deref();
        match &factor.stored {
            Stored::Sparse { matrix, transposed: None } => {
                let (left, right) = self.needed.mirrored.clone().unwrap_or_default();
                let (left, right) = (left.as_deref(), right.as_deref());
                let product = Product { matrix, left: right, right: left, shift, factor: a };
                self.forward(&product, x, begin, out);
            }
            Stored::Sparse { matrix, transposed: Some(transposed) } => {
                let product = Product { matrix, left, right, shift, factor: a };
                self.backward(&product, transposed, x, begin, out);
            }
            _ => {
                let needed = self.halo().touched().len();
                let mut partial = Tall::uninit_in(x.workspace(), needed, x.cols());
                factor.apply_transposed_local(a, x, RowInit::OVERWRITE, &mut partial);
                let sum = self.halo().add_back(&partial, self.reducer);
                out.par_update_rows(|row, values| {
                    begin.fill(row, values);
                    values.iter_mut().zip(sum.row(row)).for_each(|(out, &add)| *out += add);
                });
            }
        }
    }

    /// Some columns of the needed rows of a block.
    fn gathered<T: Real>(&self, x: &Tall<T>, first: usize, width: usize) -> Tall<T> {
        let mut needed = Tall::uninit_in(x.workspace(), self.halo().touched().len(), width);
        let fill = |row: usize, out: &mut [T]| {
            out.copy_from_slice(&x.row(row)[first..first + width]);
        };
        self.halo().gather(width, fill, needed.data_mut(), self.reducer);
        needed
    }

    fn forward<T: Real>(
        &self,
        product: &Product<'_>,
        x: &Tall<T>,
        begin: RowInit<'_, T>,
        out: &mut Tall<T>,
    ) {
        let Product { matrix, left, right, shift, factor } = *product;
        let diagonals = Diagonals { left, right, shift: None };
        for (first, width) in panels(x.cols()) {
            let needed = self.gathered(x, first, width);
            let mut panel = Tall::uninit_in(x.workspace(), out.rows(), width);
            panel.par_update_rows(|row, values: &mut [T]| {
                if begin.accumulate {
                    values.copy_from_slice(&out.row(row)[first..first + width]);
                }
                begin.fill_columns(row, first, values);
            });
            spmm(matrix, diagonals, factor, &needed, RowInit::ACCUMULATE, &mut panel);
            out.par_update_rows(|row, values| {
                let values = &mut values[first..first + width];
                values.copy_from_slice(panel.row(row));
                // Only square matrices have a shift; others may have more rows than `x`.
                if shift.is_some() {
                    add_shift(shift, factor, row, &x.row(row)[first..first + width], values);
                }
            });
        }
    }

    fn backward<T: Real>(
        &self,
        product: &Product<'_>,
        transposed: &SparseMatrix,
        x: &Tall<T>,
        begin: RowInit<'_, T>,
        out: &mut Tall<T>,
    ) {
        let Product { matrix, left, right, shift, factor } = *product;
        let diagonals = Diagonals { left, right, shift: None };
        for (first, width) in panels(x.cols()) {
            let panel = Tall::from_rows_in(x.workspace(), x.rows(), width, |row, out| {
                out.copy_from_slice(&x.row(row)[first..first + width]);
            });
            let needed = self.halo().touched().len();
            let mut partial = Tall::uninit_in(x.workspace(), needed, width);
            let both = (matrix, transposed);
            spmm_transposed(both, diagonals, factor, &panel, RowInit::OVERWRITE, &mut partial);
            let sum = self.halo().add_back(&partial, self.reducer);
            out.par_update_rows(|row, values| {
                let values = &mut values[first..first + width];
                begin.fill_columns(row, first, values);
                values.iter_mut().zip(sum.row(row)).for_each(|(out, &add)| *out += add);
                if shift.is_some() {
                    add_shift(shift, factor, row, panel.row(row), values);
                }
            });
        }
    }
}

/// A matrix between diagonals, and what it is multiplied by.
#[derive(Clone, Copy)]
struct Product<'a> {
    matrix: &'a SparseMatrix,
    left: Option<&'a [f64]>,
    right: Option<&'a [f64]>,
    shift: Option<&'a [f64]>,
    factor: f64,
}

/// First columns and widths of the panels of a block.
fn panels(width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..width).step_by(PANEL).map(move |first| (first, PANEL.min(width - first)))
}

fn add_shift<T: Real>(shift: Option<&[f64]>, factor: f64, row: usize, x: &[T], out: &mut [T]) {
    if let Some(shift) = shift {
        let shift = T::from_f64(factor * shift[row]);
        out.iter_mut().zip(x).for_each(|(out, &value)| *out += shift * value);
    }
}
