//! A matrix between diagonal factors.

use std::collections::HashSet;
use std::sync::Arc;

use faer::{Mat, MatRef};

use gage_linalg::kernel::{
    Diagonals, RowInit, cross_gram, cross_gram_working_precision, spmm, spmm_sketch,
    spmm_transposed, times_small, times_small_working_precision,
};
use gage_linalg::workers::{Halo, Partition};
use gage_linalg::{LocalReducer, Real, Reducer, SparseMatrix, Tall};

use super::columns::{Diagonal, NeededColumns};
use super::input::Input;

/// Storage of the matrix of a [`Factor`].
#[derive(Clone, Debug)]
pub(crate) enum Stored {
    /// CSR, with its transpose unless the matrix is symmetric.
    Sparse { matrix: SparseMatrix, transposed: Option<Arc<SparseMatrix>> },
    /// Dense rows in single precision.
    DenseF32(Arc<Tall<f32>>),
    /// Dense rows in double precision.
    DenseF64(Arc<Tall<f64>>),
    /// Dense rows that were computed in single precision, so that products in single precision are
    /// as good.
    MadeF32(Arc<Tall<f32>>),
}

/// `diag(left) M diag(right) + diag(shift)`: normalisations, tf-idf and self-loops without a second
/// copy of `M`.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pub(crate) stored: Stored,
    pub(crate) left: Diagonal,
    pub(crate) right: Diagonal,
    pub(crate) shift: Diagonal,
    /// Of one of several workers: its needed columns are numbered from 0.
    pub(crate) needed: Option<Arc<NeededColumns>>,
}

impl Factor {
    /// A matrix between diagonals, of one process.
    pub(crate) fn whole(stored: Stored, left: Diagonal, right: Diagonal) -> Factor {
        Factor { stored, left, right, shift: None, needed: None }
    }

    /// The same, with the needed columns that are stored and the owners of all columns; left
    /// factors are of own rows, right ones of needed columns.
    pub(crate) fn spread_over(
        mut self,
        columns: Option<(Arc<Halo>, Partition)>,
        reducer: &dyn Reducer,
    ) -> Factor {
        let symmetric = matches!(self.stored, Stored::Sparse { transposed: None, .. });
        self.needed = columns.map(|columns| {
            let diagonals = (&self.left, &self.right);
            Arc::new(NeededColumns::new(columns, diagonals, symmetric, reducer))
        });
        self
    }

    /// Who owns which columns.
    pub(crate) fn columns(&self) -> Partition {
        let needed = self.needed.as_ref();
        needed.map_or_else(|| Partition::whole(self.cols()), |needed| needed.owners.clone())
    }

    /// Columns that are stored.
    pub(crate) fn cols(&self) -> usize {
        match &self.stored {
            Stored::Sparse { matrix, .. } => matrix.cols(),
            Stored::DenseF32(tall) | Stored::MadeF32(tall) => tall.cols(),
            Stored::DenseF64(tall) => tall.cols(),
        }
    }

    /// Whether both share the memory of the matrix and have equal diagonals.
    pub(crate) fn is_same(&self, other: &Factor) -> bool {
        let same = match (&self.stored, &other.stored) {
            (Stored::Sparse { matrix: a, .. }, Stored::Sparse { matrix: b, .. }) => a.is_same(b),
            (Stored::DenseF32(a), Stored::DenseF32(b)) => Arc::ptr_eq(a, b),
            (Stored::MadeF32(a), Stored::MadeF32(b)) => Arc::ptr_eq(a, b),
            (Stored::DenseF64(a), Stored::DenseF64(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        same && self.left == other.left && self.right == other.right && self.shift == other.shift
    }

    /// Multiply-adds of one application to one column.
    pub(crate) fn work(&self) -> f64 {
        match &self.stored {
            Stored::Sparse { matrix, .. } => matrix.nnz() as f64,
            Stored::DenseF32(tall) | Stored::MadeF32(tall) => (tall.rows() * tall.cols()) as f64,
            Stored::DenseF64(tall) => (tall.rows() * tall.cols()) as f64,
        }
    }

    /// Sums and numbers of the nonzeros of every column, in absolute value.
    pub(crate) fn column_sizes(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut sums, mut counts) = (vec![0.0; self.cols()], vec![0.0; self.cols()]);
        let unit = |diagonal: &Diagonal, at: usize| diagonal.as_ref().map_or(1.0, |d| d[at]);
        let mut add = |row: usize, col: usize, value: f64| {
            let size = (unit(&self.left, row) * value * unit(&self.right, col)).abs();
            if size > 0.0 {
                sums[col] += size;
                counts[col] += 1.0;
            }
        };
        match &self.stored {
            Stored::Sparse { matrix, .. } => {
                for row in 0..matrix.rows() {
                    matrix.row(row).for_each(|(col, value)| add(row, col as usize, value));
                }
            }
            Stored::DenseF32(tall) | Stored::MadeF32(tall) => each_dense(tall, add),
            Stored::DenseF64(tall) => each_dense(tall, add),
        }
        (sums, counts)
    }

    pub(crate) fn diagonals(&self) -> Diagonals<'_> {
        Diagonals {
            left: self.left.as_deref(),
            right: self.right.as_deref(),
            shift: self.shift.as_deref(),
        }
    }

    /// `out = begin + factor * self x` with all rows of `x` that the stored columns name.
    pub(super) fn apply_local<T: Real>(
        &self,
        factor: f64,
        x: Input<'_, T>,
        begin: RowInit<'_, T>,
        out: &mut Tall<T>,
    ) {
        match (&self.stored, x) {
            (Stored::Sparse { matrix, .. }, Input::Tall(x)) => {
                spmm(matrix, self.diagonals(), factor, x, begin, out);
            }
            (Stored::Sparse { matrix, .. }, Input::Sketch(x)) => {
                spmm_sketch(matrix, self.diagonals(), factor, x, begin, out);
            }
            (Stored::DenseF32(tall), x) => {
                let x = x.to_dense(out.workspace());
                self.apply_dense(times_small, tall, (factor, &x), begin, out);
            }
            (Stored::DenseF64(tall), x) => {
                let x = x.to_dense(out.workspace());
                self.apply_dense(times_small, tall, (factor, &x), begin, out);
            }
            (Stored::MadeF32(tall), x) => {
                let x = x.to_dense(out.workspace());
                self.apply_dense(times_small_working_precision, tall, (factor, &x), begin, out);
            }
        }
    }

    /// `out = begin + factor * self^T x` for the stored columns, over own rows.
    pub(super) fn apply_transposed_local<T: Real>(
        &self,
        factor: f64,
        x: &Tall<T>,
        begin: RowInit<'_, T>,
        out: &mut Tall<T>,
    ) {
        match &self.stored {
            Stored::Sparse { matrix, transposed } => {
                let both = (matrix, transposed.as_deref().unwrap_or(matrix));
                spmm_transposed(both, self.diagonals(), factor, x, begin, out);
            }
            Stored::DenseF32(tall) => {
                self.apply_dense_transposed(cross_gram, tall, (factor, x), begin, out);
            }
            Stored::DenseF64(tall) => {
                self.apply_dense_transposed(cross_gram, tall, (factor, x), begin, out);
            }
            Stored::MadeF32(tall) => {
                let product = cross_gram_working_precision;
                self.apply_dense_transposed(product, tall, (factor, x), begin, out);
            }
        }
    }

    fn apply_dense<S: Real, T: Real>(
        &self,
        times: impl Fn(&Tall<S>, MatRef<'_, f64>) -> Tall<S>,
        tall: &Tall<S>,
        (factor, x): (f64, &Tall<T>),
        begin: RowInit<'_, T>,
        out: &mut Tall<T>,
    ) {
        let right = |j: usize| self.right.as_ref().map_or(factor, |right| factor * right[j]);
        let small = Mat::from_fn(x.rows(), x.cols(), |i, j| x.row(i)[j].to_f64() * right(i));
        let product = times(tall, small.as_ref());
        out.par_update_rows(|row, values| {
            begin.fill(row, values);
            let left = self.left.as_ref().map_or(1.0, |left| left[row]);
            if left != 0.0 {
                for (value, &add) in values.iter_mut().zip(product.row(row)) {
                    *value += T::from_f64(left * add.to_f64());
                }
            }
        });
    }

    fn apply_dense_transposed<S: Real, T: Real>(
        &self,
        product: impl Fn(&Tall<S>, &Tall<S>, &dyn Reducer) -> Mat<f64>,
        tall: &Tall<S>,
        (factor, x): (f64, &Tall<T>),
        begin: RowInit<'_, T>,
        out: &mut Tall<T>,
    ) {
        let scaled = Tall::<S>::from_rows_in(x.workspace(), x.rows(), x.cols(), |row, out| {
            let left = self.left.as_ref().map_or(1.0, |left| left[row]);
            for (out, &value) in out.iter_mut().zip(x.row(row)) {
                *out = S::from_f64(left * value.to_f64());
            }
        });
        // The caller sums over workers.
        let product = product(tall, &scaled, &LocalReducer);
        out.par_update_rows(|row, values| {
            begin.fill(row, values);
            let right = factor * self.right.as_ref().map_or(1.0, |right| right[row]);
            for (f, value) in values.iter_mut().enumerate() {
                *value += T::from_f64(right * product[(row, f)]);
            }
        });
    }

    /// Bytes kept beyond the caller's own matrix: transposes, dense copies and diagonals.
    /// `seen` holds what was counted already.
    pub(crate) fn extra_bytes(&self, seen: &mut HashSet<usize>) -> usize {
        let stored = match &self.stored {
            // A transpose that came with the matrix belongs to the caller.
            Stored::Sparse { matrix, transposed } => transposed
                .as_ref()
                .filter(|t| matrix.known_transpose().is_none_or(|known| !Arc::ptr_eq(&known, t)))
                .map_or(0, |t| if seen.insert(Arc::as_ptr(t) as usize) { t.bytes() } else { 0 }),
            Stored::DenseF32(tall) | Stored::MadeF32(tall) => tall.bytes(),
            Stored::DenseF64(tall) => tall.bytes(),
        };
        let diagonals = [&self.left, &self.right, &self.shift].into_iter().flatten();
        let new = diagonals.filter(|d| seen.insert(Arc::as_ptr(d).cast::<f64>() as usize));
        let needed = self.needed.as_ref().map_or(0, |needed| needed.bytes());
        stored + needed + new.map(|d| 8 * d.len()).sum::<usize>()
    }
}

fn each_dense<T: Real>(tall: &Tall<T>, mut visit: impl FnMut(usize, usize, f64)) {
    for row in 0..tall.rows() {
        let values = tall.row(row).iter().enumerate();
        values.for_each(|(col, value)| visit(row, col, value.to_f64()));
    }
}
