//! Tall matrices times small ones, in chunks of rows. Rows of zeros stay zero and are skipped.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::precision::{by_precision, convert, is_zero, row_slice, rows_as};
use crate::memory::{Kernel, Workspace};
use crate::tall::{ROW_CHUNK, Real, Tall};

/// `a m` for a small `m`, computed in double precision and rounded once. Cost `2 n p q` flops.
pub fn times_small<T: Real>(a: &Tall<T>, m: MatRef<'_, f64>) -> Tall<T> {
    times_small_as::<T, f64>(a, m)
}

/// As [`times_small`] in the precision of `a`. In `f32` it is two to three times as fast and good
/// to about six digits of the length of a row.
pub fn times_small_working_precision<T: Real>(a: &Tall<T>, m: MatRef<'_, f64>) -> Tall<T> {
    times_small_as::<T, T>(a, m)
}

/// `a m` with the products in precision `S`.
fn times_small_as<T: Real, S: Real>(a: &Tall<T>, m: MatRef<'_, f64>) -> Tall<T> {
    let small = Mat::from_fn(m.nrows(), m.ncols(), |i, j| S::from_f64(m[(i, j)]));
    times(S::ONE, a, small.as_ref())
}

/// `factor a b` for a square `a`, in working precision.
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
                chunk_times(factor, row_slice(a, first..first + out.len() / q), m, scratch, out);
            },
        );
        out
    })
}

/// Rows per chunk where every row is its own result, such that two or four threads get the same
/// number of chunks.
pub fn even_chunk(rows: usize) -> usize {
    rows.div_ceil(rows.div_ceil(ROW_CHUNK).next_multiple_of(4).max(1)).max(ROW_CHUNK / 4)
}

/// Counts a product of `rows` rows of type `T` with a `p x q` matrix of type `S`.
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

/// Scratch for the product of one chunk of rows: its rows that are not zero, and their products.
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

/// One chunk of rows times `m` and a factor; rows of zeros stay zero.
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
