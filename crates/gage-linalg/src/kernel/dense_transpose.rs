//! Transposes of dense matrices.

use rayon::prelude::*;

use crate::tall::Real;
use crate::tall::Tall;

/// Rows per block, so that columns are read and written in pieces.
const BLOCK_ROWS: usize = 64;

/// Writes the transpose of a matrix.
pub fn transpose_into<T: Real>(matrix: &Tall<T>, out: &mut [T]) {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    for first in (0..rows).step_by(BLOCK_ROWS) {
        let piece = first..rows.min(first + BLOCK_ROWS);
        let source = &matrix.data()[piece.start * cols..piece.end * cols];
        for (column, out) in out.chunks_exact_mut(rows).enumerate() {
            let source = source.iter().skip(column).step_by(cols);
            out[piece.clone()].iter_mut().zip(source).for_each(|(out, &value)| *out = value);
        }
    }
}

/// Copies the lower triangle of a square matrix to the upper one.
pub fn symmetrize_from_lower<T: Real>(matrix: &mut Tall<T>) {
    let n = matrix.rows();
    symmetrize_rows(matrix.data_mut(), n, 0);
}

/// As [`symmetrize_from_lower`] for the diagonal block that these rows have in a matrix of `n`
/// columns; `first` is the index of the first row.
fn symmetrize_rows<T: Real>(rows: &mut [T], n: usize, first: usize) {
    let count = rows.len().checked_div(n).unwrap_or(0);
    if count <= BLOCK_ROWS {
        for i in 0..count {
            for j in 0..i {
                rows[j * n + first + i] = rows[i * n + first + j];
            }
        }
        return;
    }
    let half = count / 2;
    let (upper, lower) = rows.split_at_mut(half * n);
    transpose_columns(lower, n, first, upper, first + half);
    rayon::join(|| symmetrize_rows(upper, n, first), || symmetrize_rows(lower, n, first + half));
}

/// Transposes the columns of `source` from `from` on into as many rows as `out` has, at column
/// `to`. All rows have `n` numbers.
fn transpose_columns<T: Real>(source: &[T], n: usize, from: usize, out: &mut [T], to: usize) {
    out.par_chunks_mut(BLOCK_ROWS * n.max(1)).enumerate().for_each(|(piece, out)| {
        let first = from + piece * BLOCK_ROWS;
        let count = out.len() / n;
        for (j, row) in source.chunks_exact(n).enumerate() {
            for (out, &value) in out.chunks_exact_mut(n).zip(&row[first..first + count]) {
                out[to + j] = value;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(n: usize) -> Tall<f32> {
        Tall::from_rows(n, n, |row, out| {
            out.iter_mut().enumerate().for_each(|(j, out)| *out = (row * n + j) as f32);
        })
    }

    #[test]
    fn rows_become_columns() {
        for (rows, cols) in [(0, 3), (1, 1), (5, 2), (64, 65), (200, 7)] {
            let matrix = Tall::<f32>::from_rows(rows, cols, |row, out| {
                out.iter_mut().enumerate().for_each(|(j, out)| *out = (row * cols + j) as f32);
            });
            let mut transposed = vec![-1.0; rows * cols];
            transpose_into(&matrix, &mut transposed);
            let same = |i: usize, j: usize| transposed[j * rows + i] == matrix.row(i)[j];
            assert!((0..rows).all(|i| (0..cols).all(|j| same(i, j))));
        }
    }

    #[test]
    fn the_lower_triangle_is_seen_above_the_diagonal() {
        for n in [0, 1, 5, 64, 65, 200] {
            let (matrix, mut symmetric) = (square(n), square(n));
            symmetrize_from_lower(&mut symmetric);
            let wanted = |i: usize, j: usize| matrix.row(i.max(j))[i.min(j)];
            assert!((0..n).all(|i| (0..n).all(|j| symmetric.row(i)[j] == wanted(i, j))));
        }
    }
}
