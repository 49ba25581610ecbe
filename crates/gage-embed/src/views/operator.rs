//! What a view multiplies by: a matrix between diagonal factors, perhaps behind a polynomial of a propagation matrix.

use std::collections::HashSet;
use std::sync::Arc;

use faer::Mat;

use crate::linalg::{
    Diagonals, Real, Reducer, SparseMatrix, Tall, add_scaled, cross_gram, sparse_times_tall,
    times_small,
};

/// A diagonal factor; absent means one everywhere.
pub(crate) type Diagonal = Option<Arc<[f64]>>;

/// Numbers of a [`Factor`].
#[derive(Clone, Debug)]
pub(crate) enum Stored {
    /// Sparse rows, with the transpose beside it unless the matrix is symmetric.
    Sparse { matrix: SparseMatrix, transposed: Option<Arc<SparseMatrix>> },
    /// Dense rows in single precision.
    DenseF32(Arc<Tall<f32>>),
    /// Dense rows in double precision.
    DenseF64(Arc<Tall<f64>>),
}

/// `diag(left) M diag(right) + diag(shift)`: normalisations, tf-idf and self-loops without a second copy of `M`.
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

    /// Multiply-adds of one application to one column.
    fn work(&self) -> f64 {
        match &self.stored {
            Stored::Sparse { matrix, .. } => matrix.entries() as f64,
            Stored::DenseF32(tall) => (tall.rows() * tall.cols()) as f64,
            Stored::DenseF64(tall) => (tall.rows() * tall.cols()) as f64,
        }
    }

    fn diagonals(&self) -> Diagonals<'_> {
        Diagonals {
            left: self.left.as_deref(),
            right: self.right.as_deref(),
            shift: self.shift.as_deref(),
        }
    }

    /// `out += factor * self x`; both sides complete (no exchange between workers).
    fn apply<T: Real>(&self, factor: f64, x: &Tall<T>, out: &mut Tall<T>) {
        match &self.stored {
            Stored::Sparse { matrix, .. } => {
                sparse_times_tall(matrix, self.diagonals(), factor, x, out);
            }
            Stored::DenseF32(tall) => self.apply_dense(tall, factor, x, out),
            Stored::DenseF64(tall) => self.apply_dense(tall, factor, x, out),
        }
    }

    /// `self^T x` of this worker's rows.
    fn apply_transposed<T: Real>(&self, x: &Tall<T>) -> Tall<T> {
        match &self.stored {
            Stored::Sparse { matrix, transposed } => {
                let transposed = transposed.as_deref().unwrap_or(matrix);
                let mut out = Tall::zeros(self.cols(), x.cols());
                sparse_times_tall(transposed, self.diagonals().transposed(), 1.0, x, &mut out);
                out
            }
            Stored::DenseF32(tall) => self.apply_dense_transposed(tall, x),
            Stored::DenseF64(tall) => self.apply_dense_transposed(tall, x),
        }
    }

    fn apply_dense<S: Real, T: Real>(
        &self,
        tall: &Tall<S>,
        factor: f64,
        x: &Tall<T>,
        out: &mut Tall<T>,
    ) {
        let right = |j: usize| self.right.as_ref().map_or(factor, |right| factor * right[j]);
        let small = Mat::from_fn(x.rows(), x.cols(), |i, j| x.row(i)[j].to_f64() * right(i));
        let product = times_small(tall, small.as_ref());
        out.par_update_rows(|row, values| {
            let left = self.left.as_ref().map_or(1.0, |left| left[row]);
            if left != 0.0 {
                for (value, &add) in values.iter_mut().zip(product.row(row)) {
                    *value += T::from_f64(left * add.to_f64());
                }
            }
        });
    }

    fn apply_dense_transposed<S: Real, T: Real>(&self, tall: &Tall<S>, x: &Tall<T>) -> Tall<T> {
        let scaled = Tall::<S>::from_rows(x.rows(), x.cols(), |row, out| {
            let left = self.left.as_ref().map_or(1.0, |left| left[row]);
            for (out, &value) in out.iter_mut().zip(x.row(row)) {
                *out = S::from_f64(left * value.to_f64());
            }
        });
        // Workers are summed by the caller, together with everything else.
        let product = cross_gram(tall, &scaled, &crate::linalg::LocalReducer);
        Tall::from_rows(self.cols(), x.cols(), |row, out| {
            let right = self.right.as_ref().map_or(1.0, |right| right[row]);
            for (f, out) in out.iter_mut().enumerate() {
                *out = T::from_f64(right * product[(row, f)]);
            }
        })
    }

    /// Bytes kept beyond the caller's own matrix: transposes, dense copies and diagonals.
    /// `seen` holds what was counted already.
    pub(crate) fn extra_bytes(&self, seen: &mut HashSet<usize>) -> usize {
        let stored = match &self.stored {
            Stored::Sparse { transposed, .. } => transposed
                .as_ref()
                .map_or(0, |t| if seen.insert(Arc::as_ptr(t) as usize) { t.bytes() } else { 0 }),
            Stored::DenseF32(tall) => tall.bytes(),
            Stored::DenseF64(tall) => tall.bytes(),
        };
        let diagonals = [&self.left, &self.right, &self.shift];
        stored + diagonals.into_iter().flatten().map(|d| 8 * d.len()).sum::<usize>()
    }
}

/// `sum_t coefficients[t] P^t` for a square propagation matrix `P`.
#[derive(Clone, Debug)]
pub(crate) struct Propagation {
    pub(crate) step: Factor,
    pub(crate) coefficients: Vec<f64>,
}

impl Propagation {
    /// Evaluates the polynomial at `z` by Horner's rule; `step` multiplies by `P` or `P^T`.
    fn horner<T: Real>(&self, z: Tall<T>, step: impl Fn(&Tall<T>) -> Tall<T>) -> Tall<T> {
        let (&highest, lower) = match self.coefficients.split_last() {
            Some(split) => split,
            None => return Tall::zeros(z.rows(), z.cols()),
        };
        let keep = lower.iter().any(|&a| a != 0.0).then(|| z.clone());
        let mut sum = z;
        if highest != 1.0 {
            sum.par_update_rows(|_, row| {
                row.iter_mut().for_each(|v| *v = T::from_f64(highest * v.to_f64()));
            });
        }
        for &coefficient in lower.iter().rev() {
            sum = step(&sum);
            if let Some(z) = keep.as_ref().filter(|_| coefficient != 0.0) {
                add_scaled(&mut sum, coefficient, z);
            }
        }
        sum
    }
}

/// The matrix `Y` of a view, one row per node: `diag(rows) p(P) M`, where the polynomial `p(P)`, the matrix `M` and the
/// row factors may each be absent. It is applied to blocks and never formed.
#[derive(Clone, Debug)]
pub(crate) struct Operator {
    pub(crate) propagation: Option<Propagation>,
    pub(crate) base: Option<Factor>,
    pub(crate) row_scale: Diagonal,
    pub(crate) local_rows: usize,
    pub(crate) cols: usize,
}

impl Operator {
    /// Multiply-adds of one application to one column.
    pub(crate) fn work(&self) -> f64 {
        let steps = self.propagation.as_ref().map_or(0.0, |propagation| {
            propagation.coefficients.len().saturating_sub(1) as f64 * propagation.step.work()
        });
        steps + self.base.as_ref().map_or(0.0, Factor::work)
    }

    /// `out += factor * Y x` for this worker's rows. `x` has one row per column of `Y` and is complete.
    pub(crate) fn apply<T: Real>(
        &self,
        factor: f64,
        x: &Tall<T>,
        out: &mut Tall<T>,
        reducer: &dyn Reducer,
    ) {
        if self.propagation.is_none()
            && self.row_scale.is_none()
            && let Some(base) = &self.base
        {
            base.apply(factor, x, out);
            return;
        }
        let mut y = match &self.base {
            Some(base) => {
                let mut y = Tall::zeros(self.local_rows, x.cols());
                base.apply(1.0, x, &mut y);
                y
            }
            None => local_part(x, reducer),
        };
        if let Some(propagation) = &self.propagation {
            y = propagation.horner(y, |z| {
                let full = gather(z, propagation.step.cols(), reducer);
                let mut next = Tall::zeros(self.local_rows, z.cols());
                propagation.step.apply(1.0, full.as_ref().unwrap_or(z), &mut next);
                next
            });
        }
        out.par_update_rows(|row, values| {
            let scale = factor * self.row_scale.as_ref().map_or(1.0, |scale| scale[row]);
            for (value, &add) in values.iter_mut().zip(y.row(row)) {
                *value += T::from_f64(scale * add.to_f64());
            }
        });
    }

    /// `Y^T v`, complete on every worker; `v` has one row per node of this worker.
    pub(crate) fn apply_transposed<T: Real>(&self, v: &Tall<T>, reducer: &dyn Reducer) -> Tall<T> {
        let scaled = self.row_scale.as_ref().map(|scale| {
            Tall::<T>::from_rows(v.rows(), v.cols(), |row, out| {
                for (out, &value) in out.iter_mut().zip(v.row(row)) {
                    *out = T::from_f64(scale[row] * value.to_f64());
                }
            })
        });
        let propagated = self.propagation.as_ref().map(|propagation| {
            let start = scaled.as_ref().unwrap_or(v).clone();
            propagation.horner(start, |z| {
                let mut full = propagation.step.apply_transposed(z);
                T::all_sum(reducer, full.data_mut());
                local_part(&full, reducer)
            })
        });
        let v = propagated.as_ref().or(scaled.as_ref()).unwrap_or(v);
        match &self.base {
            Some(base) => {
                let mut out = base.apply_transposed(v);
                T::all_sum(reducer, out.data_mut());
                out
            }
            None => gather(v, self.cols, reducer).unwrap_or_else(|| v.clone()),
        }
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

/// All rows of a node block; `None` when this worker already has them all.
fn gather<T: Real>(local: &Tall<T>, nodes: usize, reducer: &dyn Reducer) -> Option<Tall<T>> {
    (local.rows() != nodes).then(|| {
        let rows = T::gather_rows(reducer, local.data(), local.cols());
        let mut full = Tall::zeros(nodes, local.cols());
        full.data_mut().copy_from_slice(&rows);
        full
    })
}

/// The rows of a complete node block that belong to this worker.
fn local_part<T: Real>(full: &Tall<T>, reducer: &dyn Reducer) -> Tall<T> {
    let range = reducer.local_rows(full.rows());
    Tall::from_rows(range.len(), full.cols(), |row, out| {
        out.copy_from_slice(full.row(range.start + row));
    })
}
