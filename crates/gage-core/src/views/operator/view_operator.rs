//! What a view multiplies by: a matrix between diagonal factors, perhaps behind a polynomial of a propagation matrix.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use faer::Mat;

use gage_linalg::kernel::{
    Diagonals, RowInit, SparseSignSketch, SpmmRows, cross_gram, spmm, spmm_sketch, spmm_transposed,
    times_small,
};
use gage_linalg::{Real, Reducer, SparseMatrix, Tall};

/// A diagonal factor; absent means one everywhere.
pub(crate) type Diagonal = Option<Arc<[f64]>>;

/// What an operator is applied to: a block, or a block of which only the few numbers that are not zero are kept.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a, T> {
    Tall(&'a Tall<T>),
    Few(&'a SparseSignSketch),
}

impl<'a, T: Real> From<&'a Tall<T>> for Input<'a, T> {
    fn from(tall: &'a Tall<T>) -> Self {
        Input::Tall(tall)
    }
}

impl<'a, T: Real> Input<'a, T> {
    fn cols(&self) -> usize {
        match self {
            Input::Tall(tall) => tall.cols(),
            Input::Few(few) => few.cols(),
        }
    }

    fn to_dense(self) -> Cow<'a, Tall<T>> {
        match self {
            Input::Tall(tall) => Cow::Borrowed(tall),
            Input::Few(few) => Cow::Owned(few.to_dense()),
        }
    }
}

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

    /// Whether this is the same matrix in the same memory, between equal factors.
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
    fn work(&self) -> f64 {
        match &self.stored {
            Stored::Sparse { matrix, .. } => matrix.nnz() as f64,
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

    /// `out = begin + factor * self x`; both sides complete (no exchange between workers).
    fn apply<T: Real>(
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
            (Stored::Sparse { matrix, .. }, Input::Few(x)) => {
                spmm_sketch(matrix, self.diagonals(), factor, x, begin, out);
            }
            (Stored::DenseF32(tall), x) => {
                self.apply_dense(tall, factor, &x.to_dense(), begin, out);
            }
            (Stored::DenseF64(tall), x) => {
                self.apply_dense(tall, factor, &x.to_dense(), begin, out);
            }
        }
    }

    /// `out = begin + factor * self^T x` of this worker's rows.
    fn apply_transposed<T: Real>(
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
        let scaled = Tall::<S>::from_rows(x.rows(), x.cols(), |row, out| {
            let left = self.left.as_ref().map_or(1.0, |left| left[row]);
            for (out, &value) in out.iter_mut().zip(x.row(row)) {
                *out = S::from_f64(left * value.to_f64());
            }
        });
        // Workers are summed by the caller, together with everything else.
        let product = cross_gram(tall, &scaled, &gage_linalg::LocalReducer);
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
            // A transpose that came with the matrix is the caller's, too.
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

/// `sum_t coefficients[t] P^t` for a square propagation matrix `P`.
#[derive(Clone, Debug)]
pub(crate) struct Propagation {
    pub(crate) step: Factor,
    pub(crate) coefficients: Vec<f64>,
}

impl Propagation {
    /// `out = begin + factor * p(P) z` by Horner's rule; `step(factor, x, begin, out)` multiplies by `P` or `P^T`. Two
    /// blocks go back and forth, and what each step adds is what its rows begin with.
    fn horner<T: Real>(
        &self,
        factor: f64,
        z: &Tall<T>,
        begin: RowInit<'_, T>,
        out: &mut Tall<T>,
        step: impl Fn(f64, &Tall<T>, RowInit<'_, T>, &mut Tall<T>),
    ) {
        // From the lowest coefficient up; the highest one multiplies `z` where it enters.
        let (highest, lower) = match self.coefficients.split_last() {
            Some((&highest, lower)) => (highest, lower),
            None => (0.0, &[][..]),
        };
        let plus = |coefficient: f64, z| Some((coefficient, z)).filter(|_| coefficient != 0.0);
        let Some((&last, middle)) = lower.split_first() else {
            let begin = RowInit { multiple: plus(factor * highest, z), ..begin };
            out.par_update_rows(|row, values| begin.fill(row, values));
            return;
        };
        let mut sum: Option<Tall<T>> = None;
        let mut spare: Option<Tall<T>> = None;
        for (at, &coefficient) in middle.iter().rev().enumerate() {
            let mut next = spare.take().unwrap_or_else(|| Tall::uninit(z.rows(), z.cols()));
            let begin = RowInit { multiple: plus(coefficient, z), ..RowInit::OVERWRITE };
            let scale = if at == 0 { highest } else { 1.0 };
            step(scale, sum.as_ref().unwrap_or(z), begin, &mut next);
            spare = sum.replace(next);
        }
        let scale = if middle.is_empty() { highest } else { 1.0 };
        let begin = RowInit { multiple: plus(factor * last, z), ..begin };
        step(factor * scale, sum.as_ref().unwrap_or(z), begin, out);
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
    /// What comes before the matrix, applied to a block of all nodes: `diag(rows) p(P) x`. On this thread and not counted: a
    /// part of something larger.
    pub(crate) fn smoothed<T: Real>(&self, x: &Tall<T>) -> Tall<T> {
        let mut out = Tall::uninit(x.rows(), x.cols());
        match &self.propagation {
            Some(propagation) => {
                let step = |factor, x: &Tall<T>, begin: RowInit<'_, T>, next: &mut Tall<T>| {
                    let Factor { stored, .. } = &propagation.step;
                    match stored {
                        Stored::Sparse { matrix, .. } => {
                            let around = propagation.step.diagonals();
                            let task = SpmmRows { matrix, around, factor, x, begin, first: 0 };
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

    /// `out += factor * Y x` for this worker's rows. `x` has one row per column of `Y` and is complete.
    pub(crate) fn apply<T: Real>(
        &self,
        factor: f64,
        x: Input<'_, T>,
        out: &mut Tall<T>,
        reducer: &dyn Reducer,
    ) {
        if let Some(scale) = &self.row_scale {
            let mut y = Tall::zeros(self.local_rows, x.cols());
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
                    let part = local_part(&x.to_dense(), reducer);
                    let begin = RowInit { multiple: Some((factor, &part)), ..RowInit::ACCUMULATE };
                    out.par_update_rows(|row, values| begin.fill(row, values));
                }
            }
            return;
        };
        let y = match &self.base {
            Some(base) => {
                let mut y = Tall::uninit(self.local_rows, x.cols());
                base.apply(1.0, x, RowInit::OVERWRITE, &mut y);
                y
            }
            None => local_part(&x.to_dense(), reducer),
        };
        propagation.horner(factor, &y, RowInit::ACCUMULATE, out, |factor, z, begin, next| {
            let full = gather(z, propagation.step.cols(), reducer);
            propagation.step.apply(factor, full.as_ref().unwrap_or(z).into(), begin, next);
        });
    }

    /// `factor * Y^T v + column row^T` for an outer product (if there is one), complete on every worker; `v` has one row
    /// per node of this worker.
    pub(crate) fn apply_transposed<T: Real>(
        &self,
        factor: f64,
        v: &Tall<T>,
        outer: Option<(&[f64], &[f64])>,
        reducer: &dyn Reducer,
    ) -> Tall<T> {
        let scaled = self.row_scale.as_ref().map(|scale| {
            Tall::<T>::from_rows(v.rows(), v.cols(), |row, out| {
                let scale = T::from_f64(scale[row]);
                for (out, &value) in out.iter_mut().zip(v.row(row)) {
                    *out = scale * value;
                }
            })
        });
        let alone = reducer.is_single();
        let propagated = self.propagation.as_ref().map(|propagation| {
            let mut out = Tall::uninit(v.rows(), v.cols());
            let start = scaled.as_ref().unwrap_or(v);
            propagation.horner(
                1.0,
                start,
                RowInit::OVERWRITE,
                &mut out,
                |factor, z, begin, next| {
                    if alone {
                        propagation.step.apply_transposed(factor, z, begin, next);
                        return;
                    }
                    let mut full = Tall::uninit(propagation.step.cols(), z.cols());
                    propagation.step.apply_transposed(factor, z, RowInit::OVERWRITE, &mut full);
                    T::all_sum(reducer, full.data_mut());
                    let part = local_part(&full, reducer);
                    next.par_update_rows(|row, values| {
                        begin.fill(row, values);
                        values
                            .iter_mut()
                            .zip(part.row(row))
                            .for_each(|(value, &add)| *value += add);
                    });
                },
            );
            out
        });
        let v = propagated.as_ref().or(scaled.as_ref()).unwrap_or(v);
        let mut out = Tall::uninit(self.cols, v.cols());
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
            // Every worker has a part of the sum; what is not a sum over nodes is added once.
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
