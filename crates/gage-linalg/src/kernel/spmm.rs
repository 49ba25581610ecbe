//! Sparse matrix times tall matrix: the one operation that reads the data.

use rayon::prelude::*;

use crate::kernel::simd::{Level, at_level, level, prefetch_row};
use crate::memory::Kernel;
use crate::sparse::{SparseMatrix, Values};
use crate::tall::Real;
use crate::tall::Tall;

/// Entries of a row whose factors are prepared at a time.
pub const ENTRIES: usize = 64;

/// Entries ahead for which rows of a large block are asked for: 8 to 16 took 30% off passes over a million nodes and over WordNet.
const AHEAD: usize = 8;

/// Bytes of a block from which on its rows are asked for: smaller ones are found in a shared cache, where it gains nothing.
const ASKED_FOR: usize = 16 << 20;

/// Entries (plus rows) one unit of work should hold at most: small enough to balance power-law degrees over threads.
const WORK_PER_TASK: usize = 1 << 14;

/// Units of work that a small matrix should be split into at least, likewise.
const TASKS: usize = 32;

/// Diagonal factors around a matrix `M`: the product uses `diag(left) M diag(right) + diag(shift)`.
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
    /// The factors around the transposed matrix.
    pub fn transposed(self) -> Diagonals<'a> {
        Diagonals { left: self.right, right: self.left, shift: self.shift }
    }
}

/// What a row of a product begins with, before its entries are added: everything that would otherwise be a walk through
/// the output of its own.
#[derive(Clone, Copy)]
pub struct RowInit<'a, T> {
    /// Whether what the output holds counts.
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
        if !self.accumulate {
            out.fill(T::ZERO);
        }
        if let Some((factor, tall)) = self.multiple {
            let factor = T::from_f64(factor);
            for (out, &value) in out.iter_mut().zip(tall.row(row)) {
                *out += factor * value;
            }
        }
        if let Some((column, of_row)) = self.outer {
            let factor = column[row];
            if factor != 0.0 {
                for (out, &value) in out.iter_mut().zip(of_row) {
                    *out += T::from_f64(factor * value);
                }
            }
        }
    }
}

/// `out += factor * (diag(left) M diag(right) + diag(shift)) x`.
///
/// Each output row is one thread's work from first to last entry, so the bits do not depend on the number of threads.
/// Cost: `nnz * width` multiply-adds; reads `nnz` rows of `x`.
pub fn spmm_accumulate<T: Real>(
    matrix: &SparseMatrix,
    around: Diagonals<'_>,
    factor: f64,
    x: &Tall<T>,
    out: &mut Tall<T>,
) {
    spmm(matrix, around, factor, x, RowInit::ACCUMULATE, out);
}

/// As [`spmm_accumulate`], beginning with something else than what `out` holds.
pub fn spmm<T: Real>(
    matrix: &SparseMatrix,
    around: Diagonals<'_>,
    factor: f64,
    x: &Tall<T>,
    begin: RowInit<'_, T>,
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
            let task = SpmmRows { matrix, around, factor, x, begin, first };
            rows_at(level, &task, block);
        });
    });
}

/// Bytes that a product with a block of so many columns reads and writes when nothing stays in a cache.
pub fn spmm_bytes<T>(matrix: &SparseMatrix, width: usize) -> u64 {
    let numbers = size_of::<T>() as u64 * width as u64;
    matrix.bytes() as u64 + numbers * (matrix.nnz() + 2 * matrix.rows()) as u64
}

/// Some rows of the product `begin + factor * (diag(left) M diag(right) + diag(shift)) x`.
#[derive(Clone, Copy)]
pub struct SpmmRows<'a, T> {
    /// The sparse matrix.
    pub matrix: &'a SparseMatrix,
    /// Diagonal matrices around it.
    pub around: Diagonals<'a>,
    /// Factor of the product.
    pub factor: f64,
    /// The tall block it is multiplied by.
    pub x: &'a Tall<T>,
    /// What the rows of the result start from.
    pub begin: RowInit<'a, T>,
    /// The first of the rows.
    pub first: usize,
}

impl<T: Real> SpmmRows<'_, T> {
    /// Makes as many rows as there is room for, on this thread and not counted: a part of something larger.
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
    let SpmmRows { matrix, around, factor, x, begin, first } = *task;
    for (at, out) in block.chunks_exact_mut(x.cols()).enumerate() {
        let row = first + at;
        begin.fill(row, out);
        let scale = factor * around.left.map_or(1.0, |left| left[row]);
        match matrix.values() {
            Values::Ones => row_times(task, row, |_| scale, out),
            Values::F32(v) => row_times(task, row, |at| scale * f64::from(v[at]), out),
            Values::F64(v) => row_times(task, row, |at| scale * v[at], out),
        }
        if let Some(shift) = around.shift {
            let shift = T::from_f64(factor * shift[row]);
            for (out, &value) in out.iter_mut().zip(x.row(row)) {
                *out += shift * value;
            }
        }
    }
}

/// Adds one sparse row times `x` to `out`: a few entries at a time, and of them as many columns as fit in registers.
#[inline(always)]
fn row_times<T: Real>(
    task: &SpmmRows<'_, T>,
    row: usize,
    value: impl Fn(usize) -> f64,
    out: &mut [T],
) {
    let SpmmRows { matrix, around, x, .. } = *task;
    let asks = x.bytes() >= ASKED_FOR;
    let (x, width) = (x.data(), x.cols());
    let span = matrix.row_range(row);
    let mut factors = [T::ZERO; ENTRIES];
    let mut begins = [0usize; ENTRIES];
    let indices = matrix.indices();
    for first in span.clone().step_by(ENTRIES) {
        let count = ENTRIES.min(span.end - first);
        for at in 0..count {
            let column = indices[first + at] as usize;
            let right = around.right.map_or(1.0, |right| right[column]);
            factors[at] = T::from_f64(value(first + at) * right);
            begins[at] = column * width;
        }
        // Of this row of the matrix and those after it; asked for once, by the first tiles.
        let later = first + AHEAD..first + AHEAD + count;
        let mut later = if asks { indices.get(later).unwrap_or_default() } else { &[] };
        let entries = (&factors[..count], &begins[..count]);
        let mut from = 0;
        from = tiles::<T, 128>(entries, &mut later, x, from, out);
        from = tiles::<T, 64>(entries, &mut later, x, from, out);
        from = tiles::<T, 32>(entries, &mut later, x, from, out);
        from = tiles::<T, 16>(entries, &mut later, x, from, out);
        from = tiles::<T, 4>(entries, &mut later, x, from, out);
        tiles::<T, 1>(entries, &mut later, x, from, out);
    }
}

/// Adds the entries to as many whole tiles of `TILE` columns as there are after column `from`; returns the column after.
#[inline(always)]
fn tiles<T: Real, const TILE: usize>(
    (factors, begins): (&[T], &[usize]),
    later: &mut &[u32],
    x: &[T],
    mut from: usize,
    out: &mut [T],
) -> usize {
    let width = out.len();
    while from + TILE <= width {
        let later = std::mem::take(later);
        let target = &mut out[from..from + TILE];
        let mut sum = [T::ZERO; TILE];
        sum.copy_from_slice(target);
        for (at, (&factor, &begin)) in factors.iter().zip(begins).enumerate() {
            if let Some(&column) = later.get(at) {
                prefetch_row(&x[column as usize * width..][..width]);
            }
            let source = &x[begin + from..begin + from + TILE];
            for (sum, &value) in sum.iter_mut().zip(source) {
                *sum += factor * value;
            }
        }
        target.copy_from_slice(&sum);
        from += TILE;
    }
    from
}

/// Splits the output into runs of rows with about the same number of entries: `(first row, its numbers)`.
pub fn tasks<'a, T>(
    matrix: &SparseMatrix,
    mut out: &'a mut [T],
    width: usize,
) -> Vec<(usize, &'a mut [T])> {
    let pointers = matrix.indptr();
    let rows = matrix.rows();
    let work = ((matrix.nnz() + rows) / TASKS).clamp(1, WORK_PER_TASK) as u64;
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

    /// The definition, entry by entry, in double precision; and the sum of magnitudes, which rounding goes with.
    fn plain<T: Real>(task: &SpmmRows<'_, T>, out: &Tall<T>) -> Vec<(f64, f64)> {
        let SpmmRows { matrix, around, factor, x, begin, .. } = *task;
        let mut all = Vec::new();
        for row in 0..matrix.rows() {
            for f in 0..x.cols() {
                let mut terms = vec![if begin.accumulate { out.row(row)[f].to_f64() } else { 0.0 }];
                if let Some((factor, tall)) = begin.multiple {
                    terms.push(factor * tall.row(row)[f].to_f64());
                }
                if let Some((column, of_row)) = begin.outer {
                    terms.push(column[row] * of_row[f]);
                }
                let left = around.left.map_or(1.0, |left| left[row]);
                for (column, value) in matrix.row(row) {
                    let right = around.right.map_or(1.0, |right| right[column as usize]);
                    let x = x.row(column as usize)[f].to_f64();
                    terms.push(factor * left * value * right * x);
                }
                if let Some(shift) = around.shift {
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
        // Rows of `x` up to the larger side, because a shift reads the row of the output, too.
        let (x, other) = (tall::<T>(cols, width, 5), tall::<T>(rows, width, 6));
        for (around, begin) in [
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
            let task = SpmmRows { matrix: &matrix, around, factor: -1.7, x: &x, begin, first: 0 };
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
            spmm(&matrix, around, -1.7, &x, begin, &mut whole);
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
        let around = Diagonals { shift: Some(&shift), ..Diagonals::default() };
        spmm_accumulate(&ring, around, 1.0, &x, &mut out);
        for row in 0..9 {
            let expected = 2.0 * ((row + 1) % 9) as f64 + 0.5 * row as f64;
            assert_eq!(out.row(row), [expected, expected]);
        }
    }
}
