//! Sparse matrix times tall matrix: the one operation that reads the data.

use rayon::prelude::*;

use super::real::Real;
use super::sparse::{SparseMatrix, Values};
use super::tall::Tall;

/// Columns summed in registers at a time.
const TILE: usize = 32;

/// Entries (plus rows) one unit of work should hold: small enough to balance power-law degrees over threads.
const WORK_PER_TASK: usize = 1 << 14;

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

/// `out += factor * (diag(left) M diag(right) + diag(shift)) x`.
///
/// Each output row is one thread's work from first to last entry, so the bits do not depend on the number of threads.
/// Cost: `nnz * width` multiply-adds; reads `nnz` rows of `x`.
pub fn sparse_times_tall<T: Real>(
    matrix: &SparseMatrix,
    around: Diagonals<'_>,
    factor: f64,
    x: &Tall<T>,
    out: &mut Tall<T>,
) {
    debug_assert_eq!(matrix.cols(), x.rows());
    debug_assert_eq!(matrix.rows(), out.rows());
    debug_assert_eq!(x.cols(), out.cols());
    let width = x.cols();
    if width == 0 {
        return;
    }
    tasks(matrix, out.data_mut(), width).into_par_iter().for_each(|(first, block)| {
        for (at, row_out) in block.chunks_exact_mut(width).enumerate() {
            let row = first + at;
            let scale = factor * around.left.map_or(1.0, |left| left[row]);
            match matrix.values() {
                Values::Ones => row_times(matrix, row, |_| 1.0, around.right, scale, x, row_out),
                Values::F32(v) => {
                    row_times(matrix, row, |at| f64::from(v[at]), around.right, scale, x, row_out)
                }
                Values::F64(v) => {
                    row_times(matrix, row, |at| v[at], around.right, scale, x, row_out)
                }
            }
            if let Some(shift) = around.shift {
                let shift = T::from_f64(factor * shift[row]);
                for (out, &value) in row_out.iter_mut().zip(x.row(row)) {
                    *out += shift * value;
                }
            }
        }
    });
}

/// Adds one sparse row times `x` to `out`, a tile of columns at a time.
#[inline(always)]
fn row_times<T: Real>(
    matrix: &SparseMatrix,
    row: usize,
    value: impl Fn(usize) -> f64,
    right: Option<&[f64]>,
    scale: f64,
    x: &Tall<T>,
    out: &mut [T],
) {
    let span = matrix.span(row);
    if scale == 0.0 || span.is_empty() {
        return;
    }
    let indices = matrix.indices();
    let weight = |at: usize| {
        let right = right.map_or(1.0, |right| right[indices[at] as usize]);
        T::from_f64(scale * value(at) * right)
    };
    let mut tiles = out.chunks_exact_mut(TILE);
    let mut offset = 0;
    for tile in &mut tiles {
        let mut sum = [T::ZERO; TILE];
        for at in span.clone() {
            let factor = weight(at);
            let source = &x.row(indices[at] as usize)[offset..offset + TILE];
            for (sum, &value) in sum.iter_mut().zip(source) {
                *sum += factor * value;
            }
        }
        for (out, &sum) in tile.iter_mut().zip(&sum) {
            *out += sum;
        }
        offset += TILE;
    }
    let rest = tiles.into_remainder();
    if rest.is_empty() {
        return;
    }
    let mut sum = [T::ZERO; TILE];
    for at in span {
        let factor = weight(at);
        let source = &x.row(indices[at] as usize)[offset..];
        for (sum, &value) in sum.iter_mut().zip(source) {
            *sum += factor * value;
        }
    }
    for (out, &sum) in rest.iter_mut().zip(&sum) {
        *out += sum;
    }
}

/// Splits the output into runs of rows with about the same number of entries: `(first row, its numbers)`.
fn tasks<'a, T>(
    matrix: &SparseMatrix,
    mut out: &'a mut [T],
    width: usize,
) -> Vec<(usize, &'a mut [T])> {
    let pointers = matrix.pointers();
    let rows = matrix.rows();
    let mut tasks = Vec::new();
    let mut first = 0;
    while first < rows {
        let limit = pointers[first] + first as u64 + WORK_PER_TASK as u64;
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
