//! Transposed products of matrices with many rows and few columns: attributes of nodes.
//!
//! `M^T x` by the rows of `M^T` reads a row of `x` per nonzero, from memory if `x` is larger than
//! the caches. By the rows of `M` every row of `x` is read once and added to the rows of the output
//! that its nonzeros name. Most of these stay in a cache, because there are few of them or few are
//! frequent. Each thread owns some columns of `M` and passes over all rows. Every number of the
//! output is summed in row order by one thread, as in the other form, so the bits are equal and the
//! faster form can be chosen freely.

use rayon::prelude::*;

use crate::kernel::simd::{Level, at_level, level};
use crate::kernel::spmm::{Diagonals, NNZ_BLOCK, RowInit, spmm, spmm_bytes};
use crate::memory::Kernel;
use crate::sparse::{SparseMatrix, Values};
use crate::tall::Real;
use crate::tall::Tall;

/// Nonzeros per row of `x` and pass, on average, from which on reading `x` repeatedly costs less
/// than reading rows for single nonzeros.
const MIN_NNZ_PER_ROW_AND_PASS: usize = 3;

/// Size of `x` below which it stays in the caches anyway.
const CACHE_BYTES: usize = 4 << 20;

/// `out = init + factor * (diag(left) M diag(right))^T x` for a matrix `M` and its transpose.
pub fn spmm_transposed<T: Real>(
    (matrix, transposed): (&SparseMatrix, &SparseMatrix),
    diagonals: Diagonals<'_>,
    factor: f64,
    x: &Tall<T>,
    init: RowInit<'_, T>,
    out: &mut Tall<T>,
) {
    let threads = rayon::current_num_threads();
    if diagonals.shift.is_some() || !is_faster(matrix, threads, x, out) {
        return spmm(transposed, diagonals.transposed(), factor, x, init, out);
    }
    let (width, level) = (x.cols(), level());
    let flops = 2 * (matrix.nnz() * width) as u64;
    x.workspace().count(Kernel::Spmm, flops, spmm_bytes::<T>(transposed, width), || {
        let ranges = column_ranges(transposed, out.data_mut(), width, threads);
        ranges.into_par_iter().for_each(|(first, block)| {
            let task = Columns { matrix, diagonals, factor, x, init, first };
            columns_at(level, &task, block);
        });
    });
}

/// Whether rows of the output are found in a cache more often than rows of `x` would be.
fn is_faster<T: Real>(matrix: &SparseMatrix, passes: usize, x: &Tall<T>, out: &Tall<T>) -> bool {
    x.bytes() > CACHE_BYTES.max(2 * out.bytes())
        && matrix.nnz() >= MIN_NNZ_PER_ROW_AND_PASS * passes * matrix.rows()
}

/// Splits the output into at most `count` ranges of rows with about equal nonzeros: `(first row,
/// its numbers)`. Each range is a pass over `x`, so there are no more.
fn column_ranges<'a, T>(
    transposed: &SparseMatrix,
    mut out: &'a mut [T],
    width: usize,
    count: usize,
) -> Vec<(usize, &'a mut [T])> {
    let (pointers, rows) = (transposed.indptr(), transposed.rows());
    let mut ranges = Vec::with_capacity(count);
    let mut first = 0;
    for range in 1..=count {
        let goal = (range * transposed.nnz()).div_ceil(count) as u64;
        let mut end = if range == count { rows } else { first };
        while end < rows && pointers[end + 1] <= goal {
            end += 1;
        }
        let (head, tail) = std::mem::take(&mut out).split_at_mut((end - first) * width);
        if end > first {
            ranges.push((first, head));
        }
        (out, first) = (tail, end);
    }
    ranges
}

/// A range of columns of the matrix, and what their rows of the output are made of.
struct Columns<'a, T> {
    matrix: &'a SparseMatrix,
    diagonals: Diagonals<'a>,
    factor: f64,
    x: &'a Tall<T>,
    init: RowInit<'a, T>,
    /// The first of the columns.
    first: usize,
}

fn columns_at<T: Real>(level: Level, task: &Columns<'_, T>, block: &mut [T]) {
    at_level!(level, columns::<T>(task: &Columns<'_, T>, block: &mut [T]));
}

#[inline(always)]
fn columns<T: Real>(task: &Columns<'_, T>, block: &mut [T]) {
    let Columns { matrix, x, init, first, .. } = *task;
    let width = x.cols();
    for (at, out) in block.chunks_exact_mut(width).enumerate() {
        init.fill(first + at, out);
    }
    let end = first + block.len() / width;
    let indices = matrix.indices();
    for row in 0..matrix.rows() {
        let span = matrix.row_range(row);
        let start = span.start + indices[span.clone()].partition_point(|&j| (j as usize) < first);
        let stop = start + indices[start..span.end].partition_point(|&j| (j as usize) < end);
        let x = x.row(row);
        match matrix.values() {
            Values::Ones => row_into(task, row, start..stop, |_| 1.0, x, block),
            Values::F32(v) => row_into(task, row, start..stop, |at| f64::from(v[at]), x, block),
            Values::F64(v) => row_into(task, row, start..stop, |at| v[at], x, block),
        }
    }
}

/// Adds a row of `x` to the rows of the output that the nonzeros of a row of the matrix name.
#[inline(always)]
fn row_into<T: Real>(
    task: &Columns<'_, T>,
    row: usize,
    span: std::ops::Range<usize>,
    value: impl Fn(usize) -> f64,
    x: &[T],
    block: &mut [T],
) {
    let Columns { matrix, diagonals, factor, first, .. } = *task;
    let (indices, width) = (matrix.indices(), x.len());
    let left = diagonals.left.map_or(1.0, |left| left[row]);
    let mut factors = [T::ZERO; NNZ_BLOCK];
    let mut offsets = [0usize; NNZ_BLOCK];
    for from in span.clone().step_by(NNZ_BLOCK) {
        let count = NNZ_BLOCK.min(span.end - from);
        for at in 0..count {
            let column = indices[from + at] as usize;
            // Multiplied in the order of the other form, so that rounding is the same.
            let scale = factor * diagonals.right.map_or(1.0, |right| right[column]);
            factors[at] = T::from_f64(scale * value(from + at) * left);
            offsets[at] = (column - first) * width;
        }
        let entries = (&factors[..count], &offsets[..count]);
        let mut from = 0;
        from = tiles::<T, 128>(entries, x, from, block);
        from = tiles::<T, 64>(entries, x, from, block);
        from = tiles::<T, 32>(entries, x, from, block);
        from = tiles::<T, 16>(entries, x, from, block);
        from = tiles::<T, 4>(entries, x, from, block);
        tiles::<T, 1>(entries, x, from, block);
    }
}

/// Adds as many whole tiles of `TILE` columns as there are after column `from` to all nonzeros;
/// returns the next column.
#[inline(always)]
fn tiles<T: Real, const TILE: usize>(
    (factors, offsets): (&[T], &[usize]),
    x: &[T],
    mut from: usize,
    block: &mut [T],
) -> usize {
    while from + TILE <= x.len() {
        let mut source = [T::ZERO; TILE];
        source.copy_from_slice(&x[from..from + TILE]);
        for (&factor, &offset) in factors.iter().zip(offsets) {
            let target = &mut block[offset + from..offset + from + TILE];
            for (target, &value) in target.iter_mut().zip(&source) {
                *target += factor * value;
            }
        }
        from += TILE;
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::levels;
    use crate::random::fill_normal;

    fn tall<T: Real>(rows: usize, cols: usize, seed: u64) -> Tall<T> {
        Tall::from_rows(rows, cols, |row, out| fill_normal(seed, row as u64, out))
    }

    /// Rows that are empty, short, and longer than a block of nonzeros.
    fn matrix(rows: u32, cols: u32, values: usize) -> SparseMatrix {
        let filled = |i: u32, j: u32| i % 7 != 1 && (i % 50 == 2 || (i * 31 + j * 17) % 11 == 3);
        let entries: Vec<(u32, u32, f64)> = (0..rows)
            .flat_map(|i| (0..cols).map(move |j| (i, j)))
            .filter(|&(i, j)| filled(i, j))
            .map(|(i, j)| (i, j, [1.0, 0.5 + f64::from(i + j), 1.0 / f64::from(3 + i * j)][values]))
            .collect();
        SparseMatrix::from_triplets(rows as usize, cols as usize, &entries).unwrap()
    }

    fn agrees<T: Real>(width: usize, values: usize) {
        let matrix = matrix(300, 90, values);
        let transposed = matrix.transposed();
        let diagonal = |n: usize, seed: u64| tall::<f64>(n, 1, seed).data().to_vec();
        let (left, right) = (diagonal(300, 1), diagonal(90, 2));
        let (column, of_row) = (diagonal(90, 3), diagonal(width, 4));
        let x = tall::<T>(300, width, 5);
        for (diagonals, init) in [
            (Diagonals::default(), RowInit::ACCUMULATE),
            (
                Diagonals { left: Some(&left), right: Some(&right), shift: None },
                RowInit { outer: Some((&column, &of_row)), ..RowInit::OVERWRITE },
            ),
        ] {
            let before = tall::<T>(90, width, 6);
            let mut expected = before.clone();
            let diagonals_of_transpose = diagonals.transposed();
            spmm(&transposed, diagonals_of_transpose, -1.7, &x, init, &mut expected);
            for threads in [1, 2, 5] {
                for level in levels() {
                    let mut out = before.clone();
                    for (first, block) in column_ranges(&transposed, out.data_mut(), width, threads)
                    {
                        let task = Columns {
                            matrix: &matrix,
                            diagonals,
                            factor: -1.7,
                            x: &x,
                            init,
                            first,
                        };
                        columns_at(level, &task, block);
                    }
                    assert_eq!(out.data(), expected.data(), "{threads} threads, {level:?}");
                }
            }
        }
    }

    #[test]
    fn columns_have_the_bits_of_rows_of_the_transpose() {
        for width in [1, 3, 17, 100, 192, 261] {
            for values in 0..3 {
                agrees::<f32>(width, values);
                agrees::<f64>(width, values);
            }
        }
    }

    #[test]
    fn ranges_are_even_at_most_count_and_cover_all_rows() {
        let transposed = matrix(300, 90, 0).transposed();
        for count in [1, 2, 3, 7, 89, 90, 200] {
            let mut out = vec![0u8; 2 * transposed.rows()];
            let ranges = column_ranges(&transposed, &mut out, 2, count);
            assert!(ranges.len() <= count);
            let mut next = 0;
            for (first, block) in ranges {
                assert_eq!(first, next);
                next += block.len() / 2;
                let entries: usize = (first..next).map(|row| transposed.row_range(row).len()).sum();
                let longest =
                    (first..next).map(|row| transposed.row_range(row).len()).max().unwrap();
                assert!(entries <= transposed.nnz() / count + 1 + 2 * longest, "{count}");
            }
            assert_eq!(next, transposed.rows());
        }
    }

    #[test]
    fn the_form_is_chosen_by_sizes_and_does_not_show() {
        let tables = matrix(20_000, 40, 1);
        let both = (&tables, &tables.transposed());
        let x = tall::<f32>(20_000, 64, 1);
        assert!(is_faster(&tables, 1, &x, &Tall::zeros(40, 64)));
        assert!(!is_faster(&tables, 2, &x, &Tall::zeros(40, 64)), "too few entries to walk twice");
        assert!(!is_faster(&tables, 1, &tall::<f32>(20_000, 3, 1), &Tall::zeros(40, 3)), "small");
        assert!(!is_faster(&tables, 1, &x, &Tall::zeros(20_000, 64)), "as large an output");
        let mut rows = Tall::zeros(40, 64);
        let none = Diagonals::default();
        spmm(both.1, none, 2.0, &x, RowInit::OVERWRITE, &mut rows);
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = Tall::zeros(40, 64);
            pool.install(|| {
                spmm_transposed(both, none, 2.0, &x, RowInit::OVERWRITE, &mut out);
            });
            assert_eq!(out.data(), rows.data());
        }
    }
}
