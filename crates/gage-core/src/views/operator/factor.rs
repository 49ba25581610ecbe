//! A matrix between diagonal factors.

use std::collections::HashSet;
use std::sync::Arc;

use faer::Mat;

use gage_linalg::kernel::{
    Diagonals, RowInit, cross_gram, spmm, spmm_sketch, spmm_transposed, times_small,
};
use gage_linalg::{LocalReducer, Real, SparseMatrix, Tall};

use super::input::Input;

/// A diagonal factor; absent means one everywhere.
pub(crate) type Diagonal = Option<Arc<[f64]>>;

/// Storage of the matrix of a [`Factor`].
#[derive(Clone, Debug)]
pub(crate) enum Stored {
    /// CSR, with its transpose unless the matrix is symmetric.
    Sparse { matrix: SparseMatrix, transposed: Option<Arc<SparseMatrix>> },
    /// Dense rows in single precision.
    DenseF32(Arc<Tall<f32>>),
    /// Dense rows in double precision.
    DenseF64(Arc<Tall<f64>>),
}

/// `diag(left) M diag(right) + diag(shift)`: normalisations, tf-idf and self-loops without a second
/// copy of `M`.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pub(crate) stored: Stored,
    pub(crate) left: Diagonal,
    pub(crate) right: Diagonal,
    pub(crate) shift: Diagonal,
}

impl Factor {
    pub(crate) fn cols(&self) -> usize {
        match &self.stored {
            Stored::Sparse { matrix, .. } => matrix.cols(),
            Stored::DenseF32(tall) => tall.cols(),
            Stored::DenseF64(tall) => tall.cols(),
        }
    }

    /// Whether both share the memory of the matrix and have equal diagonals.
    pub(crate) fn is_same(&self, other: &Factor) -> bool {
        let same = match (&self.stored, &other.stored) {
            (Stored::Sparse { matrix: a, .. }, Stored::Sparse { matrix: b, .. }) => a.is_same(b),
            (Stored::DenseF32(a), Stored::DenseF32(b)) => Arc::ptr_eq(a, b),
            (Stored::DenseF64(a), Stored::DenseF64(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        same && self.left == other.left && self.right == other.right && self.shift == other.shift
    }

    /// Multiply-adds of one application to one column.
    pub(crate) fn work(&self) -> f64 {
        match &self.stored {
            Stored::Sparse { matrix, .. } => matrix.nnz() as f64,
            Stored::DenseF32(tall) => (tall.rows() * tall.cols()) as f64,
            Stored::DenseF64(tall) => (tall.rows() * tall.cols()) as f64,
        }
    }

    pub(crate) fn diagonals(&self) -> Diagonals<'_> {
        Diagonals {
            left: self.left.as_deref(),
            right: self.right.as_deref(),
            shift: self.shift.as_deref(),
        }
    }

    /// `out = begin + factor * self x`; `x` and `out` hold all rows of this worker.
    pub(crate) fn apply<T: Real>(
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
                self.apply_dense(tall, factor, &x, begin, out);
            }
            (Stored::DenseF64(tall), x) => {
                let x = x.to_dense(out.workspace());
                self.apply_dense(tall, factor, &x, begin, out);
            }
        }
    }

    /// `out = begin + factor * self^T x` of this worker's rows.
    pub(crate) fn apply_transposed<T: Real>(
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
            Stored::DenseF32(tall) => self.apply_dense_transposed(tall, factor, x, begin, out),
            Stored::DenseF64(tall) => self.apply_dense_transposed(tall, factor, x, begin, out),
        }
    }

    fn apply_dense<S: Real, T: Real>(
        &self,
        tall: &Tall<S>,
        factor: f64,
        x: &Tall<T>,
        begin: RowInit<'_, T>,
        out: &mut Tall<T>,
    ) {
        let right = |j: usize| self.right.as_ref().map_or(factor, |right| factor * right[j]);
        let small = Mat::from_fn(x.rows(), x.cols(), |i, j| x.row(i)[j].to_f64() * right(i));
        let product = times_small(tall, small.as_ref());
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
        tall: &Tall<S>,
        factor: f64,
        x: &Tall<T>,
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
        let product = cross_gram(tall, &scaled, &LocalReducer);
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
            Stored::DenseF32(tall) => tall.bytes(),
            Stored::DenseF64(tall) => tall.bytes(),
        };
        let diagonals = [&self.left, &self.right, &self.shift].into_iter().flatten();
        let new = diagonals.filter(|d| seen.insert(Arc::as_ptr(d).cast::<f64>() as usize));
        stored + new.map(|d| 8 * d.len()).sum::<usize>()
    }
}
