//! The lower triangle of `A diag(inner)^2 A^T` for a sparse `A`, stored in single precision.
//!
//! Columns of `A` with many nonzeros are multiplied as a dense matrix, the others as a sparse one.
//! `G` is computed by bands of columns, so that the right-hand side stays in the cache of a core.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};
use rayon::prelude::*;

use gage_linalg::kernel::{Diagonals, RowInit, SpmmRows, unrolled_sum};
use gage_linalg::{SparseMatrix, Tall, Values, Workspace};

use super::dense_columns::DenseColumns;

/// A column is dense if more than one in this many entries is nonzero (5, 8 and 12: 87, 82 and 88
/// ms for Wikipedia words on a Xeon; 4, 6 and 8: 103, 97 and 102 ms on an EPYC).
const FILLED: usize = 6;

/// Columns of the product per task (64, 96, 128 and 192: 39, 36, 31 and 35 ms of these), and rows
/// per step.
const BAND: usize = 128;
const ROWS: usize = 64;

/// Rows and columns from which on a dense product is not split, off and on the diagonal.
const BLOCK: usize = 640;
const DIAGONAL_BLOCK: usize = 160;

/// `f(i, j, G_ij)` for all `j <= i`, unspecified entries elsewhere, and the sum of squares over the
/// whole symmetric matrix.
pub(crate) fn lower_product(
    (a, transposed): (&SparseMatrix, &SparseMatrix),
    inner: &[f64],
    f: impl Fn(usize, usize, f64) -> f64 + Sync,
    workspace: &Workspace,
) -> (Tall<f32>, f64) {
    let n = a.rows();
    let dense = DenseColumns::new((a, transposed), inner, FILLED, workspace);
    let unit = dense.unit;
    let others = SparseColumns::new(a, transposed, &dense, inner);
    // Dense columns overwrite all entries that are read later.
    let mut out = match dense.count {
        0 => Tall::zeros_in(workspace, n, n),
        _ => Tall::uninit_in(workspace, n, n),
    };
    let mut rest = MatMut::from_row_major_slice_mut(out.data_mut(), n, n);
    if dense.count > 0 {
        dense_triangle(&dense, 0..n, rest.as_mut());
    }
    let mut bands = Vec::new();
    while rest.ncols() > 0 {
        let width = BAND.min(rest.ncols());
        let (band, right) = rest.split_at_col_mut(width);
        bands.push(band);
        rest = right;
    }
    let squares = bands.into_par_iter().enumerate().map(|(at, mut band)| {
        let (first, width) = (at * BAND, band.ncols());
        let x = others.columns(first..first + width, workspace);
        let mut sums = vec![0.0; ROWS * width];
        let mut squares = 0.0;
        for begin in (first..n).step_by(ROWS) {
            let count = ROWS.min(n - begin);
            let sums = &mut sums[..count * width];
            others.times(begin, &x, sums);
            for (i, sums) in (begin..).zip(sums.chunks_exact(width)) {
                let end = width.min(i + 1 - first);
                let out = band.as_mut().row_mut(i);
                // This always holds: a band consists of pieces of rows.
                let Some(out) = out.try_as_row_major_mut() else { continue };
                let out = &mut out.as_slice_mut()[..end];
                for ((j, out), sum) in (first..).zip(out.iter_mut()).zip(sums) {
                    *out = f(i, j, unit * unit * f64::from(*out + sum)) as f32;
                }
                // Off-diagonal entries occur twice.
                let own = if first + end == i + 1 { out[i - first] } else { 0.0 };
                squares += 2.0 * unrolled_sum(out, |x| x * x) - f64::from(own).powi(2);
            }
        }
        squares
    });
    let squares: Vec<f64> = squares.collect();
    (out, squares.iter().sum())
}

/// Contribution of the dense columns to a square block on the diagonal; some entries above the
/// diagonal are computed too.
fn dense_triangle(dense: &DenseColumns, rows: Range<usize>, out: MatMut<'_, f32>) {
    if rows.len() <= DIAGONAL_BLOCK {
        let block = dense.rows(rows);
        matmul(out, Accum::Replace, block, block.transpose(), 1.0, Par::Seq);
        return;
    }
    let half = rows.len() / 2;
    let middle = rows.start + half;
    let (upper, lower) = out.split_at_row_mut(half);
    let (square, (below, last)) = (upper.subcols_mut(0, half), lower.split_at_col_mut(half));
    rayon::join(
        || dense_rectangle(dense, middle..rows.end, rows.start..middle, below),
        || {
            rayon::join(
                || dense_triangle(dense, rows.start..middle, square),
                || dense_triangle(dense, middle..rows.end, last),
            )
        },
    );
}

/// Contribution of the dense columns to any block.
fn dense_rectangle(
    dense: &DenseColumns,
    rows: Range<usize>,
    columns: Range<usize>,
    out: MatMut<'_, f32>,
) {
    if rows.len().max(columns.len()) <= BLOCK {
        let (rows, columns) = (dense.rows(rows), dense.rows(columns));
        matmul(out, Accum::Replace, rows, columns.transpose(), 1.0, Par::Seq);
    } else if rows.len() >= columns.len() {
        let half = rows.len() / 2;
        let middle = rows.start + half;
        let (upper, lower) = out.split_at_row_mut(half);
        rayon::join(
            || dense_rectangle(dense, rows.start..middle, columns.clone(), upper),
            || dense_rectangle(dense, middle..rows.end, columns.clone(), lower),
        );
    } else {
        let half = columns.len() / 2;
        let middle = columns.start + half;
        let (left, right) = out.split_at_col_mut(half);
        rayon::join(
            || dense_rectangle(dense, rows.clone(), columns.start..middle, left),
            || dense_rectangle(dense, rows.clone(), middle..columns.end, right),
        );
    }
}

/// The remaining columns of `A diag(inner)`, divided by the unit.
struct SparseColumns<'a> {
    /// These columns, renumbered.
    matrix: SparseMatrix,
    /// Their original numbers and factors.
    columns: Vec<(usize, f64)>,
    transposed: &'a SparseMatrix,
}

impl<'a> SparseColumns<'a> {
    fn new(
        a: &SparseMatrix,
        transposed: &'a SparseMatrix,
        dense: &DenseColumns,
        inner: &[f64],
    ) -> SparseColumns<'a> {
        let columns: Vec<(usize, f64)> = (0..a.cols())
            .filter(|&k| !dense.contains(k))
            .map(|k| (k, inner[k] / dense.unit))
            .collect();
        let mut place = vec![None; a.cols()];
        columns.iter().zip(0..).for_each(|(&(k, factor), at)| place[k] = Some((at, factor)));
        let row = |i: usize| {
            a.row(i).filter_map(|(k, value)| {
                let (at, factor): (u32, f64) = place[k as usize]?;
                Some((at, (value * factor) as f32))
            })
        };
        let pieces: Vec<Range<usize>> =
            (0..a.rows()).step_by(ROWS).map(|first| first..a.rows().min(first + ROWS)).collect();
        let parts: Vec<(Vec<u64>, Vec<u32>, Vec<f32>)> = pieces
            .into_par_iter()
            .map(|rows| {
                let room = a.row_range(rows.end - 1).end - a.row_range(rows.start).start;
                let (mut places, mut values) = (Vec::with_capacity(room), Vec::with_capacity(room));
                let ends = rows.map(|i| {
                    for (at, value) in row(i) {
                        places.push(at);
                        values.push(value);
                    }
                    places.len() as u64
                });
                (ends.collect(), places, values)
            })
            .collect();
        let mut pointers = vec![0u64];
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for (ends, more_places, more_values) in parts {
            pointers.extend(ends.iter().map(|end| places.len() as u64 + end));
            places.extend(more_places);
            values.extend(more_values);
        }
        let values = Values::F32(values.into());
        let matrix = SparseMatrix::canonical(a.rows(), columns.len(), pointers, places, values);
        SparseColumns { matrix, columns, transposed }
    }

    /// Rows from `first` on of the product with `x`, as many as `out` holds.
    fn times(&self, first: usize, x: &Tall<f32>, out: &mut [f32]) {
        let (matrix, diagonals) = (&self.matrix, Diagonals::default());
        SpmmRows { matrix, diagonals, factor: 1.0, x, init: RowInit::OVERWRITE, first }.run(out);
    }

    /// A range of their rows, transposed.
    fn columns(&self, rows: Range<usize>, workspace: &Workspace) -> Tall<f32> {
        let mut out = Tall::zeros_in(workspace, self.columns.len(), rows.len());
        for (out, &(k, factor)) in out.data_mut().chunks_exact_mut(rows.len()).zip(&self.columns) {
            let span = self.transposed.row_range(k);
            let places = &self.transposed.indices()[span.clone()];
            let from = places.partition_point(|&i| (i as usize) < rows.start);
            for (&i, at) in places[from..].iter().zip(span.start + from..) {
                let Some(out) = out.get_mut(i as usize - rows.start) else { break };
                *out = (self.transposed.values().get(at) * factor) as f32;
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_those_of_the_definition() {
        let workspace = Workspace::default();
        // One row, one band, a last band of one column, several bands and blocks; columns from
        // empty to full.
        for (rows, cols) in [(1, 3), (70, 20), (257, 33), (900, 33)] {
            let fill = |i: u32, j: u32| (i * 7919 + j * 104_729) % 97 < 97 * j / cols;
            let entries: Vec<(u32, u32, f64)> = (0..rows)
                .flat_map(|i| (0..cols).map(move |j| (i, j)))
                .filter(|&(i, j)| fill(i, j))
                .map(|(i, j)| (i, j, f64::from((i + 3 * j) % 11) - 5.0))
                .collect();
            let a = SparseMatrix::from_triplets(rows as usize, cols as usize, &entries).unwrap();
            let inner: Vec<f64> = (0..cols).map(|j| 1e3 / f64::from(1 + j)).collect();
            let dense = DenseColumns::new((&a, &a.transposed()), &inner, FILLED, &workspace);
            assert!(rows < 100 || dense.count > 5 && dense.count < 33, "both kinds of columns");
            let row = |i: usize| -> Vec<f64> {
                let mut full = vec![0.0; cols as usize];
                a.row(i).for_each(|(j, value)| full[j as usize] = value * inner[j as usize]);
                full
            };
            let f = |i: usize, j: usize, value: f64| 2.0 * value + (i + 3 * j) as f64;
            let (found, squares) = lower_product((&a, &a.transposed()), &inner, f, &workspace);
            let full: Vec<Vec<f64>> = (0..rows as usize).map(row).collect();
            let (mut wanted_squares, scale) = (0.0, dense.unit.powi(2) * f64::from(cols));
            for i in 0..rows as usize {
                for j in 0..=i {
                    let product: f64 = full[i].iter().zip(&full[j]).map(|(x, y)| x * y).sum();
                    let wanted = f(i, j, product);
                    let error = (f64::from(found.row(i)[j]) - wanted).abs();
                    assert!(error < 1e-6 * scale, "{i} {j} {wanted}");
                    wanted_squares += if i == j { 1.0 } else { 2.0 } * wanted * wanted;
                }
            }
            assert!((squares / wanted_squares - 1.0).abs() < 1e-6, "{squares} {wanted_squares}");
        }
    }
}
