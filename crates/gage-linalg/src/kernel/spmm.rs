//! Sparse matrix times tall matrix: the one operation that reads the data.

use rayon::prelude::*;

use crate::kernel::simd::{Level, at_level, level, prefetch_row};
use crate::memory::Kernel;
use crate::sparse::{SparseMatrix, Values};
use crate::tall::Real;
use crate::tall::Tall;

/// Nonzeros of a row whose factors are computed at a time.
pub const NNZ_BLOCK: usize = 64;

/// How many nonzeros ahead rows of a large block are prefetched. 8 to 16 took 30% off passes over a
/// million nodes and over WordNet.
const PREFETCH_DISTANCE: usize = 8;

/// Size of a block from which on its rows are prefetched. Smaller ones stay in a shared cache,
/// where it gains nothing.
const PREFETCH_MIN_BYTES: usize = 16 << 20;

/// Nonzeros (plus rows) per task at most: small enough to balance power-law degrees over threads.
const MAX_TASK_WORK: usize = 1 << 14;

/// Tasks that a small matrix is split into at least, for the same reason.
const MIN_TASKS: usize = 32;

/// Diagonal factors of a matrix `M`: the product uses `diag(left) M diag(right) + diag(shift)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Diagonals<'a> {
    /// Multiplies the rows.
    pub left: Option<&'a [f64]>,
    /// Multiplies the columns.
    pub right: Option<&'a [f64]>,
    /// Added to the diagonal of a square matrix.
    pub shift: Option<&'a [f64]>,
}

impl<'a> Diagonals<'a> {
    /// The factors of the transposed matrix.
    pub fn transposed(self) -> Diagonals<'a> {
        Diagonals { left: self.right, right: self.left, shift: self.shift }
    }
}

/// What a row of a product starts from, before its nonzeros are added. It saves separate passes
/// over the output.
#[derive(Clone, Copy)]
pub struct RowInit<'a, T> {
    /// Whether the product is added to the output.
    pub accumulate: bool,
    /// A multiple of another block.
    pub multiple: Option<(f64, &'a Tall<T>)>,
    /// The outer product of a column and a row.
    pub outer: Option<(&'a [f64], &'a [f64])>,
}

impl<T: Real> RowInit<'_, T> {
    /// Adds to what is there.
    pub const ACCUMULATE: Self = RowInit { accumulate: true, multiple: None, outer: None };
    /// Overwrites what is there.
    pub const OVERWRITE: Self = RowInit { accumulate: false, multiple: None, outer: None };

    /// Prepares one row of the output.
    #[inline(always)]
    pub fn fill(&self, row: usize, out: &mut [T]) {
        self.fill_columns(row, 0, out);
    }

    /// Prepares some numbers of a row of the output, from column `first` on.
    #[inline(always)]
    pub fn fill_columns(&self, row: usize, first: usize, out: &mut [T]) {
        if !self.accumulate {
            out.fill(T::ZERO);
        }
        if let Some((factor, tall)) = self.multiple {
            let factor = T::from_f64(factor);
            for (out, &value) in out.iter_mut().zip(&tall.row(row)[first..]) {
                *out += factor * value;
            }
        }
        if let Some((column, of_row)) = self.outer {
            let factor = column[row];
            if factor != 0.0 {
                for (out, &value) in out.iter_mut().zip(&of_row[first..]) {
                    *out += T::from_f64(factor * value);
                }
            }
        }
    }
}

/// `out += factor * (diag(left) M diag(right) + diag(shift)) x`.
///
/// Each output row is computed by one thread in the order of its nonzeros, so the bits do not
/// depend on the number of threads. Cost `nnz * width` multiply-adds; reads `nnz` rows of `x`.
pub fn spmm_accumulate<T: Real>(
    matrix: &SparseMatrix,
    diagonals: Diagonals<'_>,
    factor: f64,
    x: &Tall<T>,
    out: &mut Tall<T>,
) {
    spmm(matrix, diagonals, factor, x, RowInit::ACCUMULATE, out);
}

/// As [`spmm_accumulate`], starting from `init`.
pub fn spmm<T: Real>(
    matrix: &SparseMatrix,
    diagonals: Diagonals<'_>,
    factor: f64,
    x: &Tall<T>,
    init: RowInit<'_, T>,
    out: &mut Tall<T>,
) {
    debug_assert_eq!(matrix.cols(), x.rows());
    debug_assert_eq!(matrix.rows(), out.rows());
    debug_assert_eq!(x.cols(), out.cols());
    let width = x.cols();
    if width == 0 {
        return;
    }
    let level = level();
    let flops = 2 * (matrix.nnz() * width) as u64;
    x.workspace().count(Kernel::Spmm, flops, spmm_bytes::<T>(matrix, width), || {
        tasks(matrix, out.data_mut(), width).into_par_iter().for_each(|(first, block)| {
            let task = SpmmRows { matrix, diagonals, factor, x, init, first };
            rows_at(level, &task, block);
        });
    });
}

/// Bytes that a product with a block of `width` columns reads and writes if nothing stays in a
/// cache.
pub fn spmm_bytes<T>(matrix: &SparseMatrix, width: usize) -> u64 {
    let numbers = size_of::<T>() as u64 * width as u64;
    matrix.bytes() as u64 + numbers * (matrix.nnz() + 2 * matrix.rows()) as u64
}

/// A range of rows of the product `init + factor * (diag(left) M diag(right) + diag(shift)) x`.
#[derive(Clone, Copy)]
pub struct SpmmRows<'a, T> {
    /// The sparse matrix.
    pub matrix: &'a SparseMatrix,
    /// Its diagonal factors.
    pub diagonals: Diagonals<'a>,
    /// Factor of the product.
    pub factor: f64,
    /// The tall block it is multiplied by.
    pub x: &'a Tall<T>,
    /// What the rows of the result start from.
    pub init: RowInit<'a, T>,
    /// The first of the rows.
    pub first: usize,
}

impl<T: Real> SpmmRows<'_, T> {
    /// Computes as many rows as `out` holds, on this thread and uncounted, as part of a larger
    /// kernel.
    pub fn run(&self, out: &mut [T]) {
        if self.x.cols() > 0 {
            rows_at(level(), self, out);
        }
    }
}

fn rows_at<T: Real>(level: Level, task: &SpmmRows<'_, T>, block: &mut [T]) {
    at_level!(level, rows::<T>(task: &SpmmRows<'_, T>, block: &mut [T]));
}

#[inline(always)]
fn rows<T: Real>(task: &SpmmRows<'_, T>, block: &mut [T]) {
    let SpmmRows { matrix, diagonals, factor, x, init, first } = *task;
    for (at, out) in block.chunks_exact_mut(x.cols()).enumerate() {
        let row = first + at;
        init.fill(row, out);
        let scale = factor * diagonals.left.map_or(1.0, |left| left[row]);
        match matrix.values() {
            Values::Ones => row_times(task, row, |_| scale, out),
            Values::F32(v) => row_times(task, row, |at| scale * f64::from(v[at]), out),
            Values::F64(v) => row_times(task, row, |at| scale * v[at], out),
        }
        if let Some(shift) = diagonals.shift {
            let shift = T::from_f64(factor * shift[row]);
            for (out, &value) in out.iter_mut().zip(x.row(row)) {
                *out += shift * value;
            }
        }
    }
}

/// Adds one sparse row times `x` to `out`: a few nonzeros at a time, and of them as many columns as
/// fit in registers.
#[inline(always)]
fn row_times<T: Real>(
    task: &SpmmRows<'_, T>,
    row: usize,
    value: impl Fn(usize) -> f64,
    out: &mut [T],
) {
    let SpmmRows { matrix, diagonals, x, .. } = *task;
    let prefetches = x.bytes() >= PREFETCH_MIN_BYTES;
    let (x, width) = (x.data(), x.cols());
    let span = matrix.row_range(row);
    let mut factors = [T::ZERO; NNZ_BLOCK];
    let mut offsets = [0usize; NNZ_BLOCK];
    let indices = matrix.indices();
    for first in span.clone().step_by(NNZ_BLOCK) {
        let count = NNZ_BLOCK.min(span.end - first);
        for at in 0..count {
            let column = indices[first + at] as usize;
            let right = diagonals.right.map_or(1.0, |right| right[column]);
            factors[at] = T::from_f64(value(first + at) * right);
            offsets[at] = column * width;
        }
        // Of this and the following rows of the matrix; prefetched once, by the first tiles.
        let ahead = first + PREFETCH_DISTANCE..first + PREFETCH_DISTANCE + count;
        let mut ahead = if prefetches { indices.get(ahead).unwrap_or_default() } else { &[] };
        let entries = (&factors[..count], &offsets[..count]);
        let mut from = 0;
        from = tiles::<T, 128>(entries, &mut ahead, x, from, out);
        from = tiles::<T, 64>(entries, &mut ahead, x, from, out);
        from = tiles::<T, 32>(entries, &mut ahead, x, from, out);
        from = tiles::<T, 16>(entries, &mut ahead, x, from, out);
        from = tiles::<T, 4>(entries, &mut ahead, x, from, out);
        tiles::<T, 1>(entries, &mut ahead, x, from, out);
    }
}

/// Adds the nonzeros to as many whole tiles of `TILE` columns as there are after column `from`;
/// returns the next column.
#[inline(always)]
fn tiles<T: Real, const TILE: usize>(
    (factors, offsets): (&[T], &[usize]),
    ahead: &mut &[u32],
    x: &[T],
    mut from: usize,
    out: &mut [T],
) -> usize {
    let width = out.len();
    while from + TILE <= width {
        let ahead = std::mem::take(ahead);
        let target = &mut out[from..from + TILE];
        let mut sum = [T::ZERO; TILE];
        sum.copy_from_slice(target);
        for (at, (&factor, &offset)) in factors.iter().zip(offsets).enumerate() {
            if let Some(&column) = ahead.get(at) {
                prefetch_row(&x[column as usize * width..][..width]);
            }
            let source = &x[offset + from..offset + from + TILE];
            for (sum, &value) in sum.iter_mut().zip(source) {
                *sum += factor * value;
            }
        }
        target.copy_from_slice(&sum);
        from += TILE;
    }
    from
}

/// Splits the output into ranges of rows with about equal work: `(first row, its numbers)`.
pub fn tasks<'a, T>(
    matrix: &SparseMatrix,
    mut out: &'a mut [T],
    width: usize,
) -> Vec<(usize, &'a mut [T])> {
    let pointers = matrix.indptr();
    let rows = matrix.rows();
    let work = ((matrix.nnz() + rows) / MIN_TASKS).clamp(1, MAX_TASK_WORK) as u64;
    let mut tasks = Vec::new();
    let mut first = 0;
    while first < rows {
        let limit = pointers[first] + first as u64 + work;
        let (mut low, mut high) = (first + 1, rows);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if pointers[middle] + middle as u64 <= limit {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        let (head, tail) = out.split_at_mut((low - first) * width);
        tasks.push((first, head));
        out = tail;
        first = low;
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::levels;
    use crate::random::fill_normal;

    /// A matrix with long rows, short rows and empty rows.
    fn matrix(values: usize) -> SparseMatrix {
        let (rows, cols) = (60, 40);
        let entries: Vec<(u32, u32, f64)> = (0..rows as u32)
            .flat_map(|i| (0..cols as u32).map(move |j| (i, j)))
            .filter(|&(i, j)| i % 7 != 0 && (i % 5 == 1 || (i * 31 + j * 17) % 11 == 0))
            .map(|(i, j)| (i, j, [1.0, 0.5 + f64::from(i + j), 1.0 / f64::from(3 + i * j)][values]))
            .collect();
        SparseMatrix::from_triplets(rows, cols, &entries).unwrap()
    }

    fn tall<T: Real>(rows: usize, cols: usize, seed: u64) -> Tall<T> {
        Tall::from_rows(rows, cols, |row, out| fill_normal(seed, row as u64, out))
    }

    /// The definition, entry by entry, in double precision, and the sum of magnitudes, which bounds
    /// rounding.
    fn plain<T: Real>(task: &SpmmRows<'_, T>, out: &Tall<T>) -> Vec<(f64, f64)> {
        let SpmmRows { matrix, diagonals, factor, x, init, .. } = *task;
        let mut all = Vec::new();
        for row in 0..matrix.rows() {
            for f in 0..x.cols() {
                let mut terms = vec![if init.accumulate { out.row(row)[f].to_f64() } else { 0.0 }];
                if let Some((factor, tall)) = init.multiple {
                    terms.push(factor * tall.row(row)[f].to_f64());
                }
                if let Some((column, of_row)) = init.outer {
                    terms.push(column[row] * of_row[f]);
                }
                let left = diagonals.left.map_or(1.0, |left| left[row]);
                for (column, value) in matrix.row(row) {
                    let right = diagonals.right.map_or(1.0, |right| right[column as usize]);
                    let x = x.row(column as usize)[f].to_f64();
                    terms.push(factor * left * value * right * x);
                }
                if let Some(shift) = diagonals.shift {
                    terms.push(factor * shift[row] * x.row(row)[f].to_f64());
                }
                all.push((terms.iter().sum(), terms.iter().map(|t| t.abs()).sum()));
            }
        }
        all
    }

    fn agrees<T: Real>(width: usize, values: usize) {
        let matrix = matrix(values);
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let factors = |n: usize, seed: u64| -> Vec<f64> { tall::<f64>(n, 1, seed).data().to_vec() };
        let (left, right, column) = (factors(rows, 1), factors(cols, 2), factors(rows, 3));
        let of_row = factors(width, 4);
        // `x` has rows up to the larger side, because a shift reads the row of the output, too.
        let (x, other) = (tall::<T>(cols, width, 5), tall::<T>(rows, width, 6));
        for (diagonals, init) in [
            (Diagonals::default(), RowInit::ACCUMULATE),
            (Diagonals { left: Some(&left), right: Some(&right), shift: None }, RowInit::OVERWRITE),
            (
                Diagonals { left: None, right: Some(&right), shift: None },
                RowInit {
                    accumulate: true,
                    multiple: Some((0.3, &other)),
                    outer: Some((&column, &of_row)),
                },
            ),
        ] {
            let task = SpmmRows { matrix: &matrix, diagonals, factor: -1.7, x: &x, init, first: 0 };
            let before = tall::<T>(rows, width, 7);
            let expected = plain(&task, &before);
            let at = |level: Level| {
                let mut out = before.clone();
                rows_at(level, &task, out.data_mut());
                out
            };
            let base = at(Level::Base);
            for (found, (value, size)) in base.data().iter().zip(&expected) {
                assert!(
                    (found.to_f64() - value).abs() <= 64.0 * T::EPSILON * size,
                    "{found:?} {value}"
                );
            }
            for level in levels() {
                assert_eq!(at(level).data(), base.data(), "{level:?}");
            }
            let mut whole = before.clone();
            spmm(&matrix, diagonals, -1.7, &x, init, &mut whole);
            assert_eq!(whole.data(), base.data());
        }
    }

    #[test]
    fn every_level_has_the_bits_of_the_plain_one_and_follows_the_definition() {
        for width in [1, 3, 4, 17, 32, 100, 192, 261] {
            for values in 0..3 {
                agrees::<f32>(width, values);
                agrees::<f64>(width, values);
            }
        }
    }

    #[test]
    fn a_shift_adds_a_multiple_of_the_row_itself() {
        let ring: Vec<(u32, u32, f64)> = (0..9).map(|i| (i, (i + 1) % 9, 2.0)).collect();
        let ring = SparseMatrix::from_triplets(9, 9, &ring).unwrap();
        let shift = [0.5; 9];
        let x = Tall::<f64>::from_rows(9, 2, |row, out| out.fill(row as f64));
        let mut out = Tall::zeros(9, 2);
        let diagonals = Diagonals { shift: Some(&shift), ..Diagonals::default() };
        spmm_accumulate(&ring, diagonals, 1.0, &x, &mut out);
        for row in 0..9 {
            let expected = 2.0 * ((row + 1) % 9) as f64 + 0.5 * row as f64;
            assert_eq!(out.row(row), [expected, expected]);
        }
    }
}
