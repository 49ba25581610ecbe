//! Products of tall matrices with each other and with small ones.
//!
//! Rows are taken in chunks that stay in a core's cache. Gram matrices are summed in `f64` over chunks whatever the
//! number type; inside a chunk everything is computed in `f64`, unless a `rough_` product is asked for, which is enough
//! for steps of an iteration: an `f32` Gram matrix loses directions at a condition number of about `1e4`, one in `f64`
//! at about `1e8`. Rows of zeros (nodes that a
//! relation does not touch) cost a look and nothing else.

use std::borrow::Cow;
use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::kernel::axpy::axpy;
use crate::memory::{Kernel, Workspace};
use crate::reduce::Reducer;
use crate::tall::Tall;
use crate::tall::{Precision, Real};
use crate::tall::{ROW_CHUNK, RowChunks, sum_over_runs};

/// Rows of a Gram matrix that are made at a time, each as far as the diagonal block goes. That wastes little of the triangle
/// above, and is 5 to 14% faster than the library's own product for a triangle (chunks of 256 rows, 128 to 384 columns, either
/// number type; in chunks of 512 it is not).
const PANEL: usize = 48;

/// `a^T a` over the rows of all workers. Cost `n p^2` flops in double precision.
pub fn gram<T: Real>(a: &Tall<T>, reducer: &dyn Reducer) -> Mat<f64> {
    gram_as::<T, f64>(a, reducer)
}

/// As [`gram`], good to about six digits of the largest entry if `T` is `f32`, and more than twice as fast.
pub fn gram_working_precision<T: Real>(a: &Tall<T>, reducer: &dyn Reducer) -> Mat<f64> {
    gram_as::<T, T>(a, reducer)
}

/// `a^T a` with the products inside a chunk of rows in the number type `S`.
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
                let block = rows_as::<T, S>(span(a, range), p, rows.data_mut());
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
        // Only the lower triangle of the columns, which are rows here, was added up.
        let mut sum = Mat::from_fn(p, p, |i, j| sum.row(i.min(j))[i.max(j)]);
        reduce_small(&mut sum, reducer);
        sum
    })
}

/// Rows of `cols` numbers in another number type, without rows of zeros; in `out` if they are not the rows as they are.
fn rows_as<'a, T: Real, S: Real>(rows: &'a [T], cols: usize, out: &'a mut [S]) -> &'a [S] {
    if cols == 0 {
        return &[];
    }
    let all = rows.len() / cols;
    let filled = rows.chunks_exact(cols).filter(|row| !is_zero(row)).count();
    if filled == all
        && let Ok(same) = bytemuck::try_cast_slice::<T, S>(rows)
        && T::PRECISION == S::PRECISION
    {
        return same;
    }
    let kept = rows.chunks_exact(cols).filter(|row| filled == all || !is_zero(row));
    out.chunks_exact_mut(cols).zip(kept).for_each(|(out, row)| convert(row, out));
    &out[..filled * cols]
}

/// Numbers in another number type; those of the same one are copied.
fn convert<T: Real, S: Real>(from: &[T], to: &mut [S]) {
    match bytemuck::try_cast_slice::<T, S>(from) {
        Ok(same) if T::PRECISION == S::PRECISION => to.copy_from_slice(same),
        _ => to.iter_mut().zip(from).for_each(|(to, x)| *to = S::from_f64(x.to_f64())),
    }
}

/// Some rows of a tall matrix, one after the other.
fn span<T: Real>(a: &Tall<T>, range: Range<usize>) -> &[T] {
    &a.data()[range.start * a.cols()..range.end * a.cols()]
}

/// The first of two kernels if `S` is double precision, the second if it is single.
fn by_precision<S: Real>(double: Kernel, single: Kernel) -> Kernel {
    match S::PRECISION {
        Precision::F64 => double,
        Precision::F32 => single,
    }
}

/// `a^T b` over the rows of all workers. Cost `2 n p q` flops.
pub fn cross_gram<T: Real>(a: &Tall<T>, b: &Tall<T>, reducer: &dyn Reducer) -> Mat<f64> {
    cross_gram_as::<T, f64>(a, b, reducer)
}

/// As [`cross_gram`], good to about six digits of the largest entry if `T` is `f32`, and about twice as fast.
pub fn cross_gram_working_precision<T: Real>(
    a: &Tall<T>,
    b: &Tall<T>,
    reducer: &dyn Reducer,
) -> Mat<f64> {
    cross_gram_as::<T, T>(a, b, reducer)
}

/// `a^T b` with the products inside a chunk of rows in the number type `S`.
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
    let rows = span(a, range.clone());
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

/// `a m` for a small `m`, computed in double precision and rounded once. Cost `2 n p q` flops.
pub fn times_small<T: Real>(a: &Tall<T>, m: MatRef<'_, f64>) -> Tall<T> {
    times_small_as::<T, f64>(a, m)
}

/// As [`times_small`], in the number type of `a`: two to three times as fast if that is `f32`, and good to about six
/// digits of the length of a row.
pub fn times_small_working_precision<T: Real>(a: &Tall<T>, m: MatRef<'_, f64>) -> Tall<T> {
    times_small_as::<T, T>(a, m)
}

/// `a m` with the products in the number type `S`.
fn times_small_as<T: Real, S: Real>(a: &Tall<T>, m: MatRef<'_, f64>) -> Tall<T> {
    let small = Mat::from_fn(m.nrows(), m.ncols(), |i, j| S::from_f64(m[(i, j)]));
    times(S::ONE, a, small.as_ref())
}

/// `factor a b` for a square `a`, in their own number type.
pub fn square_times_tall<T: Real>(factor: f64, a: &Tall<T>, b: &Tall<T>) -> Tall<T> {
    let b = MatRef::from_row_major_slice(b.data(), b.rows(), b.cols());
    times::<T, T>(T::from_f64(factor), a, b)
}

fn times<T: Real, S: Real>(factor: S, a: &Tall<T>, m: MatRef<'_, S>) -> Tall<T> {
    debug_assert_eq!(a.cols(), m.nrows());
    let (p, q) = (m.nrows(), m.ncols());
    let workspace = a.workspace();
    count_times_small::<T, S, _>(workspace, a.rows(), (p, q), || {
        if p == 0 || q == 0 {
            return Tall::zeros_in(workspace, a.rows(), q);
        }
        let mut out = Tall::uninit_in(workspace, a.rows(), q);
        let rows = even_chunk(a.rows());
        let chunks = out.data_mut().par_chunks_mut(rows * q).enumerate();
        chunks.for_each_init(
            || Scratch::new(workspace, p, q),
            |scratch, (chunk, out)| {
                let first = chunk * rows;
                chunk_times(factor, span(a, first..first + out.len() / q), m, scratch, out);
            },
        );
        out
    })
}

/// Rows of a chunk where every row is its own result: such that two or four threads get the same number of chunks.
pub fn even_chunk(rows: usize) -> usize {
    rows.div_ceil(rows.div_ceil(ROW_CHUNK).next_multiple_of(4).max(1)).max(ROW_CHUNK / 4)
}

/// Counts a product of `rows` rows of numbers `T` with a `p x q` matrix of numbers `S`.
pub fn count_times_small<T: Real, S: Real, R>(
    workspace: &Workspace,
    rows: usize,
    (p, q): (usize, usize),
    run: impl FnOnce() -> R,
) -> R {
    let kernel = by_precision::<S>(Kernel::TimesSmall, Kernel::TimesSmallWorkingPrecision);
    let (flops, bytes) = (2 * rows * p * q, size_of::<T>() * rows * (p + q));
    workspace.count(kernel, flops as u64, bytes as u64, run)
}

/// What the product of one chunk of rows may need: the rows that are not zero, and their products.
pub struct Scratch<S> {
    rows: Tall<S>,
    products: Tall<S>,
}

impl<S: Real> Scratch<S> {
    pub fn new(workspace: &Workspace, p: usize, q: usize) -> Scratch<S> {
        Scratch {
            rows: Tall::uninit_in(workspace, ROW_CHUNK, p),
            products: Tall::uninit_in(workspace, ROW_CHUNK, q),
        }
    }
}

/// `m` multiplied by one chunk of rows and a factor; rows of zeros stay zero.
pub fn chunk_times<T: Real, S: Real>(
    factor: S,
    from: &[T],
    m: MatRef<'_, S>,
    scratch: &mut Scratch<S>,
    out: &mut [T],
) {
    let (p, q) = (m.nrows(), m.ncols());
    let rows = rows_as::<T, S>(from, p, scratch.rows.data_mut());
    let filled = rows.len() / p;
    let multiply = |out: &mut [S]| {
        let block = MatRef::from_row_major_slice(rows, filled, p);
        let target = MatMut::from_row_major_slice_mut(out, filled, q);
        matmul(target, Accum::Replace, block, m, factor, Par::Seq);
    };
    if rows.len() == from.len()
        && T::PRECISION == S::PRECISION
        && let Ok(out) = bytemuck::try_cast_slice_mut::<T, S>(out)
    {
        return multiply(out);
    }
    let products = &mut scratch.products.data_mut()[..filled * q];
    multiply(products);
    let mut products = products.chunks_exact(q);
    for (row, out) in from.chunks_exact(p).zip(out.chunks_exact_mut(q)) {
        let product = if is_zero(row) { None } else { products.next() };
        match product {
            Some(product) => convert(product, out),
            None => out.fill(T::ZERO),
        }
    }
}

fn is_zero<T: Real>(row: &[T]) -> bool {
    row.iter().all(|&value| value == T::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::fill_normal;
    use crate::reduce::LocalReducer;

    /// Random rows, every third one zero; more than one chunk and a partial one.
    fn tall<T: Real>(rows: usize, cols: usize, seed: u64) -> Tall<T> {
        Tall::from_rows(rows, cols, |row, out| {
            if row % 3 != 1 {
                fill_normal(seed, row as u64, out);
            }
        })
    }

    /// `sum_i a_if b_ig`, one number after another.
    fn plain<T: Real>(a: &Tall<T>, b: &Tall<T>) -> Mat<f64> {
        Mat::from_fn(a.cols(), b.cols(), |f, g| {
            (0..a.rows()).map(|i| a.row(i)[f].to_f64() * b.row(i)[g].to_f64()).sum()
        })
    }

    fn distance(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
        (a - b).norm_l2() / b.norm_l2().max(1e-300)
    }

    fn agrees<T: Real>(rough: f64) {
        for (rows, p, q) in [(1, 1, 1), (255, 5, 3), (700, 33, 20), (300, 6, 6)] {
            let (a, b) = (tall::<T>(rows, p, 1), tall::<T>(rows, q, 2));
            assert!(distance(&gram(&a, &LocalReducer), &plain(&a, &a)) < 1e-13);
            assert!(distance(&gram_working_precision(&a, &LocalReducer), &plain(&a, &a)) < rough);
            assert!(distance(&cross_gram(&a, &b, &LocalReducer), &plain(&a, &b)) < 1e-13);
            assert!(
                distance(&cross_gram_working_precision(&a, &b, &LocalReducer), &plain(&a, &b))
                    < rough
            );
            let m = Mat::from_fn(p, q, |i, j| ((i * 5 + j) % 7) as f64 - 3.0);
            for (product, rounding) in [
                (times_small(&a, m.as_ref()), T::EPSILON.max(p as f64 * f64::EPSILON)),
                (times_small_working_precision(&a, m.as_ref()), (p + 1) as f64 * T::EPSILON),
            ] {
                for i in 0..rows {
                    for g in 0..q {
                        let terms = || (0..p).map(|f| a.row(i)[f].to_f64() * m[(f, g)]);
                        let (value, size) =
                            (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
                        let error = (product.row(i)[g].to_f64() - value).abs();
                        assert!(error <= rounding * size, "{error} {size}");
                    }
                }
            }
        }
    }

    #[test]
    fn products_follow_their_definitions_in_both_number_types() {
        agrees::<f32>(1e-6);
        agrees::<f64>(1e-13);
    }

    #[test]
    fn a_square_product_follows_its_definition() {
        let (a, b) = (tall::<f32>(300, 300, 1), tall::<f32>(300, 7, 2));
        let product = square_times_tall(0.5, &a, &b);
        for i in 0..300 {
            for f in 0..7 {
                let terms =
                    || (0..300).map(|k| 0.5 * f64::from(a.row(i)[k]) * f64::from(b.row(k)[f]));
                let (value, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
                let error = (f64::from(product.row(i)[f]) - value).abs();
                assert!(error <= 300.0 * f64::from(f32::EPSILON) * size);
            }
        }
    }

    #[test]
    fn nothing_times_anything_is_nothing() {
        let empty = Tall::<f32>::zeros(10, 0);
        assert_eq!(gram(&empty, &LocalReducer).ncols(), 0);
        assert_eq!(times_small(&empty, Mat::zeros(0, 3).as_ref()).data(), &[0.0; 30]);
        assert_eq!(gram(&Tall::<f32>::zeros(0, 2), &LocalReducer), Mat::<f64>::zeros(2, 2));
    }
}
