//! Gram matrices of tall matrices and products of two tall ones, summed over the rows.
//!
//! Rows are taken in chunks that stay in the cache of a core and summed in `f64` over chunks.
//! Inside a chunk everything is computed in `f64` as well, or in the precision of the matrices. The
//! latter is enough for the steps of an iteration: an `f32` Gram matrix loses directions at a
//! condition number of about `1e4`, one in `f64` at about `1e8`. Rows of zeros are skipped: nodes
//! that a relation does not touch.

use std::borrow::Cow;
use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::axpy::axpy;
use super::precision::{by_precision, row_slice, rows_as};
use crate::memory::Kernel;
use crate::tall::{ROW_CHUNK, Real, RowChunks, Tall, sum_over_runs};
use crate::workers::Reducer;

/// Rows of a Gram matrix computed at a time, each up to the diagonal block. That wastes little of
/// the triangle above and is 5 to 14% faster than the triangular product of faer (chunks of 256
/// rows, 128 to 384 columns, either precision; with chunks of 512 it is not).
const PANEL: usize = 48;

/// `a^T a` over the rows of all workers. Cost `n p^2` flops in double precision.
pub fn gram<T: Real>(a: &Tall<T>, reducer: &dyn Reducer) -> Mat<f64> {
    gram_as::<T, f64>(a, reducer)
}

/// As [`gram`] in the precision of `a`. In `f32` it is good to about six digits of the largest
/// entry and more than twice as fast.
pub fn gram_working_precision<T: Real>(a: &Tall<T>, reducer: &dyn Reducer) -> Mat<f64> {
    gram_as::<T, T>(a, reducer)
}

/// `a^T a` with the products inside a chunk of rows in precision `S`.
fn gram_as<T: Real, S: Real>(a: &Tall<T>, reducer: &dyn Reducer) -> Mat<f64> {
    let (p, workspace) = (a.cols(), a.workspace());
    let work = (a.rows() * p * p) as u64;
    let kernel = by_precision::<S>(Kernel::Gram, Kernel::GramWorkingPrecision);
    workspace.count(kernel, work, a.bytes() as u64, || {
        let run = |chunks: RowChunks| {
            let mut sum = Tall::<f64>::zeros_in(workspace, p, p);
            let mut product = Tall::<S>::uninit_in(workspace, p, p);
            let mut rows = Tall::uninit_in(workspace, ROW_CHUNK, p);
            for range in chunks {
                let block = rows_as::<T, S>(row_slice(a, range), p, rows.data_mut());
                if block.is_empty() {
                    continue;
                }
                let block = MatRef::from_row_major_slice(block, block.len() / p, p);
                let mut out = MatMut::from_column_major_slice_mut(product.data_mut(), p, p);
                for first in (0..p).step_by(PANEL) {
                    let end = p.min(first + PANEL);
                    let out = out.as_mut().submatrix_mut(first, 0, end - first, end);
                    let left = block.subcols(first, end - first).transpose();
                    let right = block.subcols(0, end);
                    matmul(out, Accum::Replace, left, right, S::ONE, Par::Seq);
                }
                for col in 0..p {
                    axpy(&mut sum.row_mut(col)[col..], 1.0, &product.row(col)[col..]);
                }
            }
            sum
        };
        let sum = sum_over_runs(a.rows(), p * p, run, |left, right| {
            axpy(left.data_mut(), 1.0, right.data());
        });
        // The sum is column-major: only the lower triangle was accumulated.
        let mut sum = Mat::from_fn(p, p, |i, j| sum.row(i.min(j))[i.max(j)]);
        reduce_small(&mut sum, reducer);
        sum
    })
}

/// `a^T b` over the rows of all workers. Cost `2 n p q` flops.
pub fn cross_gram<T: Real>(a: &Tall<T>, b: &Tall<T>, reducer: &dyn Reducer) -> Mat<f64> {
    cross_gram_as::<T, f64>(a, b, reducer)
}

/// As [`cross_gram`] in the precision of the matrices. In `f32` it is good to about six digits of
/// the largest entry and about twice as fast.
pub fn cross_gram_working_precision<T: Real>(
    a: &Tall<T>,
    b: &Tall<T>,
    reducer: &dyn Reducer,
) -> Mat<f64> {
    cross_gram_as::<T, T>(a, b, reducer)
}

/// `a^T b` with the products inside a chunk of rows in precision `S`.
fn cross_gram_as<T: Real, S: Real>(a: &Tall<T>, b: &Tall<T>, reducer: &dyn Reducer) -> Mat<f64> {
    debug_assert_eq!(a.rows(), b.rows());
    let (p, q, workspace) = (a.cols(), b.cols(), a.workspace());
    let work = 2 * (a.rows() * p * q) as u64;
    let kernel = by_precision::<S>(Kernel::Gram, Kernel::GramWorkingPrecision);
    workspace.count(kernel, work, (a.bytes() + b.bytes()) as u64, || {
        let run = |chunks: RowChunks| {
            let mut sum = Tall::<f64>::zeros_in(workspace, q, p);
            let mut product = Tall::<S>::uninit_in(workspace, q, p);
            for range in chunks {
                let (left, right) = (widened::<T, S>(a, &range), widened::<T, S>(b, &range));
                let left = MatRef::from_row_major_slice(&left, range.len(), p);
                let right = MatRef::from_row_major_slice(&right, range.len(), q);
                let target = MatMut::from_column_major_slice_mut(product.data_mut(), p, q);
                matmul(target, Accum::Replace, left.transpose(), right, S::ONE, Par::Seq);
                axpy(sum.data_mut(), 1.0, product.data());
            }
            sum
        };
        let merge = |left: &mut Tall<f64>, right: Tall<f64>| {
            axpy(left.data_mut(), 1.0, right.data());
        };
        let sum = sum_over_runs(a.rows(), p * q, run, merge);
        let mut sum = MatRef::from_column_major_slice(sum.data(), p, q).to_owned();
        reduce_small(&mut sum, reducer);
        sum
    })
}

fn widened<'a, T: Real, S: Real>(a: &'a Tall<T>, range: &Range<usize>) -> Cow<'a, [S]> {
    let rows = row_slice(a, range.clone());
    match bytemuck::try_cast_slice(rows) {
        Ok(same) if T::PRECISION == S::PRECISION => Cow::Borrowed(same),
        _ => Cow::Owned(rows.iter().map(|value| S::from_f64(value.to_f64())).collect()),
    }
}

fn reduce_small(matrix: &mut Mat<f64>, reducer: &dyn Reducer) {
    if reducer.is_single() {
        return;
    }
    let rows = matrix.nrows();
    let mut values: Vec<f64> = (0..matrix.ncols())
        .flat_map(|j| (0..rows).map(move |i| (i, j)))
        .map(|ij| matrix[ij])
        .collect();
    reducer.sum_f64(&mut values);
    *matrix = Mat::from_fn(rows, matrix.ncols(), |i, j| values[j * rows + i]);
}
