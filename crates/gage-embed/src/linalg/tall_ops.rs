//! Products and orthonormalisation of tall matrices.
//!
//! Tall numbers may be `f32`, but every Gram matrix and every update is computed in `f64` on chunks of rows: an `f32`
//! Gram matrix fails at a condition number of about `1e4`, this one at about `1e8`.

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::real::Real;
use super::reduce::Reducer;
use super::small;
use super::tall::{ROW_CHUNK, Tall, sum_over_rows};

/// Widens rows `range` of `a` into `scratch`.
fn widen<'s, T: Real>(
    a: &Tall<T>,
    range: std::ops::Range<usize>,
    scratch: &'s mut Vec<f64>,
) -> MatRef<'s, f64> {
    let cols = a.cols();
    scratch.clear();
    scratch.extend(a.data()[range.start * cols..range.end * cols].iter().map(|v| v.to_f64()));
    MatRef::from_row_major_slice(scratch, range.len(), cols)
}

/// `a^T a` over the rows of all workers. Cost `n p^2` flops.
pub fn gram<T: Real>(a: &Tall<T>, reducer: &dyn Reducer) -> Mat<f64> {
    let p = a.cols();
    let (mut sum, _) = sum_over_rows(
        a.rows(),
        p * p,
        || (Mat::<f64>::zeros(p, p), Vec::new()),
        |range, (sum, scratch)| {
            let block = widen(a, range, scratch);
            triangular::matmul(
                sum.as_mut(),
                triangular::BlockStructure::TriangularLower,
                Accum::Add,
                block.transpose(),
                triangular::BlockStructure::Rectangular,
                block,
                triangular::BlockStructure::Rectangular,
                1.0,
                Par::Seq,
            );
        },
        |left, right| left.0 += right.0,
    );
    for col in 0..p {
        for row in 0..col {
            sum[(row, col)] = sum[(col, row)];
        }
    }
    reduce_small(&mut sum, reducer);
    sum
}

/// `a^T b` over the rows of all workers. Cost `2 n p q` flops.
pub fn cross_gram<T: Real>(a: &Tall<T>, b: &Tall<T>, reducer: &dyn Reducer) -> Mat<f64> {
    debug_assert_eq!(a.rows(), b.rows());
    let (p, q) = (a.cols(), b.cols());
    let (mut sum, _, _) = sum_over_rows(
        a.rows(),
        p * q,
        || (Mat::<f64>::zeros(p, q), Vec::new(), Vec::new()),
        |range, (sum, left, right)| {
            let left = widen(a, range.clone(), left);
            let right = widen(b, range, right);
            matmul(sum.as_mut(), Accum::Add, left.transpose(), right, 1.0, Par::Seq);
        },
        |left, right| left.0 += right.0,
    );
    reduce_small(&mut sum, reducer);
    sum
}

fn reduce_small(matrix: &mut Mat<f64>, reducer: &dyn Reducer) {
    let rows = matrix.nrows();
    let mut values: Vec<f64> = (0..matrix.ncols())
        .flat_map(|j| (0..rows).map(move |i| (i, j)))
        .map(|ij| matrix[ij])
        .collect();
    reducer.sum_f64(&mut values);
    *matrix = Mat::from_fn(rows, matrix.ncols(), |i, j| values[j * rows + i]);
}

/// `a m` for a small `m`, computed in `f64`. Cost `2 n p q` flops.
pub fn times_small<T: Real>(a: &Tall<T>, m: MatRef<'_, f64>) -> Tall<T> {
    use rayon::prelude::*;
    debug_assert_eq!(a.cols(), m.nrows());
    let q = m.ncols();
    let mut out = Tall::zeros(a.rows(), q);
    if q == 0 {
        return out;
    }
    out.data_mut().par_chunks_mut(ROW_CHUNK * q).enumerate().for_each_init(
        || (Vec::new(), Vec::new()),
        |(scratch, product), (chunk, out)| {
            let rows = out.len() / q;
            let first = chunk * ROW_CHUNK;
            let block = widen(a, first..first + rows, scratch);
            product.clear();
            product.resize(rows * q, 0.0);
            let target = MatMut::from_row_major_slice_mut(product, rows, q);
            matmul(target, Accum::Replace, block, m, 1.0, Par::Seq);
            for (out, &value) in out.iter_mut().zip(product.iter()) {
                *out = T::from_f64(value);
            }
        },
    );
    out
}

/// `a += factor * b`.
pub fn add_scaled<T: Real>(a: &mut Tall<T>, factor: f64, b: &Tall<T>) {
    a.par_update_rows(|row, values| {
        for (a, &b) in values.iter_mut().zip(b.row(row)) {
            *a = T::from_f64(a.to_f64() + factor * b.to_f64());
        }
    });
}

/// Sum of the rows for which `include` holds, over all workers.
pub(crate) fn column_sums<T: Real>(
    a: &Tall<T>,
    include: impl Fn(usize) -> bool + Sync,
    reducer: &dyn Reducer,
) -> Vec<f64> {
    let mut sums = sum_over_rows(
        a.rows(),
        a.cols(),
        || vec![0.0; a.cols()],
        |range, sums| {
            for row in range.filter(|&row| include(row)) {
                for (sum, &value) in sums.iter_mut().zip(a.row(row)) {
                    *sum += value.to_f64();
                }
            }
        },
        |left, right| left.iter_mut().zip(right).for_each(|(l, r)| *l += r),
    );
    reducer.sum_f64(&mut sums);
    sums
}

/// `sum_i weights[i] * a_i` over the rows `a_i` of a matrix that every worker has complete.
pub(crate) fn weighted_row_sum<T: Real>(a: &Tall<T>, weights: &[f64]) -> Vec<f64> {
    sum_over_rows(
        a.rows(),
        a.cols(),
        || vec![0.0; a.cols()],
        |range, sums| {
            for row in range.filter(|&row| weights[row] != 0.0) {
                for (sum, &value) in sums.iter_mut().zip(a.row(row)) {
                    *sum += weights[row] * value.to_f64();
                }
            }
        },
        |left, right| left.iter_mut().zip(right).for_each(|(l, r)| *l += r),
    )
}

/// Subtracts one row vector from the rows for which `include` holds.
pub(crate) fn subtract_row<T: Real>(
    a: &mut Tall<T>,
    vector: &[f64],
    include: impl Fn(usize) -> bool + Sync,
) {
    let vector: Vec<T> = vector.iter().map(|&v| T::from_f64(v)).collect();
    a.par_update_rows(|row, values| {
        if include(row) {
            for (value, &shift) in values.iter_mut().zip(&vector) {
                *value -= shift;
            }
        }
    });
}

/// An orthonormal basis of the column space of `a`; the result has as many columns as `a` has numerical rank.
///
/// Two rounds of: scale the columns, eigendecompose the Gram matrix `Z diag(l) Z^T`, take `a Z diag(l)^(-1/2)`,
/// leaving out directions below rounding level. Unlike a Cholesky factor this cannot break down, and it reveals the
/// rank. Cost `6 n p^2` flops and two reductions of `p^2` numbers.
pub fn orthonormalise<T: Real>(mut a: Tall<T>, reducer: &dyn Reducer) -> Tall<T> {
    // A direction whose squared length is below the rounding error of the Gram matrix is noise.
    let cutoff = (T::EPSILON * T::EPSILON * 16.0).max(1e-14) * a.cols().max(1) as f64;
    for _ in 0..2 {
        let gram = gram(&a, reducer);
        let p = gram.ncols();
        let norms: Vec<f64> = (0..p).map(|f| gram[(f, f)].max(0.0).sqrt()).collect();
        let largest = norms.iter().copied().fold(0.0, f64::max);
        // Exactly zero columns carry no direction and would divide by zero.
        let scale: Vec<f64> = norms
            .iter()
            .map(|&n| if n > largest * 1e-150 && n > 0.0 { 1.0 / n } else { 0.0 })
            .collect();
        let scaled = Mat::from_fn(p, p, |i, j| gram[(i, j)] * scale[i] * scale[j]);
        let (values, vectors) = small::symmetric_eigen(scaled.as_ref());
        let top = values.first().copied().unwrap_or(0.0);
        let rank = values.iter().take_while(|&&v| v > cutoff * top && v > 0.0).count();
        let transform = Mat::from_fn(p, rank, |i, f| scale[i] * vectors[(i, f)] / values[f].sqrt());
        a = times_small(&a, transform.as_ref());
    }
    a
}
