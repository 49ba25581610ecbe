//! Sums over the entries of `A A^T` for a sparse `A`. The product is not stored.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};
use rayon::prelude::*;

use gage_linalg::kernel::axpy;
use gage_linalg::kernel::simd::prefetch;
use gage_linalg::{SparseMatrix, Tall, Values, Workspace};

use super::centring::CentringTerm;
use super::dense_columns::DenseColumns;

/// Rows of the product per task.
const ROWS: usize = 64;

/// A column of `A` is dense if more than one in this many entries is nonzero. Dense columns are
/// multiplied by BLAS-like kernels, which is then faster than entry by entry.
const FILLED: usize = 8;

/// A row of the product is sparse if fewer than one in this many entries is nonzero. The positions
/// of its nonzeros are then kept in a list.
const SPARSE: f64 = 8.0;

/// Nonzeros between the prefetch of a column and its use.
const PREFETCH_DISTANCE: usize = 12;

/// `G = diag(outer) A diag(inner)^2 A^T diag(outer)`.
pub(crate) struct SymmetricProduct<'a> {
    a: &'a SparseMatrix,
    transposed: &'a SparseMatrix,
    outer: &'a [f64],
    /// Squares of `inner`, unless all are one.
    squares: Option<Vec<f64>>,
    dense: DenseColumns,
    /// Mean column length, taken over the nonzeros of `A`.
    mean_length: f64,
    /// Where scratch is allocated.
    workspace: &'a Workspace,
}

/// Buffers of one thread.
struct Scratch {
    /// A row of the product.
    row: Tall<f64>,
    /// Positions of its nonzeros, if it is sparse.
    touched: Vec<u32>,
    /// Contribution of the dense columns to the rows of a task.
    panel: Vec<f32>,
}

impl<'a> SymmetricProduct<'a> {
    pub(crate) fn new(
        a: &'a SparseMatrix,
        transposed: &'a SparseMatrix,
        outer: &'a [f64],
        inner: &'a [f64],
        workspace: &'a Workspace,
    ) -> SymmetricProduct<'a> {
        let dense = DenseColumns::new((a, transposed), inner, FILLED, workspace);
        let squares = inner.iter().any(|&x| x != 1.0);
        let squares = squares.then(|| inner.iter().map(|x| x * x).collect());
        let mean_length = square_lengths(transposed) / transposed.nnz().max(1) as f64;
        SymmetricProduct { a, transposed, outer, squares, dense, mean_length, workspace }
    }

    /// `||G - C||_F^2` from the lower triangle. Cost: half the sum of the squared column lengths of
    /// `A`.
    pub(crate) fn squared_distance(&self, centre: &CentringTerm) -> f64 {
        let n = self.a.rows();
        let chunks: Vec<f64> = (0..n.div_ceil(ROWS))
            .into_par_iter()
            .map_init(
                || self.scratch(),
                |scratch, chunk| {
                    let (first, end) = self.begin(chunk, scratch);
                    let row_square = |i: usize| {
                        let panel = (i - first) * end..(i - first) * end + i + 1;
                        self.row_square(i, panel, centre, scratch)
                    };
                    (first..end).map(row_square).sum::<f64>()
                },
            )
            .collect();
        chunks.into_iter().sum()
    }

    fn scratch(&self) -> Scratch {
        let row = Tall::zeros_in(self.workspace, 1, self.a.rows());
        Scratch { row, touched: Vec::new(), panel: Vec::new() }
    }

    /// The rows of a chunk; computes the contribution of the dense columns to them.
    fn begin(&self, chunk: usize, scratch: &mut Scratch) -> (usize, usize) {
        let first = chunk * ROWS;
        let end = self.a.rows().min(first + ROWS);
        if self.dense.count > 0 {
            let (rows, columns) = (self.dense.rows(first..end), self.dense.rows(0..end));
            scratch.panel.clear();
            scratch.panel.resize((end - first) * end, 0.0);
            let panel = MatMut::from_row_major_slice_mut(&mut scratch.panel, end - first, end);
            matmul(panel, Accum::Replace, rows, columns.transpose(), 1.0, Par::Seq);
        }
        (first, end)
    }

    /// Computes one row up to its diagonal entry; `dense` is its range in the panel. Returns
    /// whether the row is dense; otherwise its positions are listed.
    fn add_row(&self, i: usize, dense: Range<usize>, scratch: &mut Scratch) -> bool {
        let likely = self.a.row_range(i).len() as f64 * self.mean_length;
        let full = self.dense.count > 0 || likely > i as f64 / SPARSE;
        let indices = self.transposed.indices();
        let full = match (self.a.values(), self.transposed.values()) {
            (Values::Ones, Values::Ones) => {
                self.add_sparse(i, full, (|_| 1.0, ones), |at| prefetch(indices, at), scratch)
            }
            (Values::F32(a), Values::F32(b)) => {
                let ahead = |at| {
                    prefetch(indices, at);
                    prefetch(b, at);
                };
                let b = |span: Range<usize>| b[span].iter().map(|&value| f64::from(value));
                self.add_sparse(i, full, (|at: usize| f64::from(a[at]), b), ahead, scratch)
            }
            (Values::F64(a), Values::F64(b)) => {
                let ahead = |at| {
                    prefetch(indices, at);
                    prefetch(b, at);
                };
                let b = |span: Range<usize>| b[span].iter().copied();
                self.add_sparse(i, full, (|at: usize| a[at], b), ahead, scratch)
            }
            (a, b) => {
                let b = |span: Range<usize>| span.map(|at| b.get(at));
                self.add_sparse(i, full, (|at| a.get(at), b), |at| prefetch(indices, at), scratch)
            }
        };
        if self.dense.count > 0 {
            axpy(scratch.row.data_mut(), self.dense.unit * self.dense.unit, &scratch.panel[dense]);
        }
        full
    }

    /// Adds the contribution of the sparse columns of `A` to a row; `a` and `b` read the values of
    /// `A` and of its transpose.
    #[inline(always)]
    fn add_sparse<B: Iterator<Item = f64>>(
        &self,
        i: usize,
        mut full: bool,
        (a, b): (impl Fn(usize) -> f64, impl Fn(Range<usize>) -> B),
        ahead: impl Fn(usize),
        scratch: &mut Scratch,
    ) -> bool {
        let (indices, some_dense) = (self.transposed.indices(), self.dense.count > 0);
        let row = &mut scratch.row.data_mut()[..=i];
        let (entries, starts) = (self.a.row_range(i), self.transposed.indptr());
        for at in entries.clone() {
            // Columns are short and scattered, so their latency would dominate.
            if at + PREFETCH_DISTANCE < entries.end {
                ahead(starts[self.a.indices()[at + PREFETCH_DISTANCE] as usize] as usize);
            }
            let k = self.a.indices()[at] as usize;
            if some_dense && self.dense.contains(k) {
                continue;
            }
            let factor = a(at) * self.squares.as_ref().map_or(1.0, |squares| squares[k]);
            let span = self.transposed.row_range(k);
            let columns = &indices[span.clone()];
            if !full {
                let left = columns.iter().take_while(|&&j| j as usize <= i);
                scratch.touched.extend(left.filter(|&&j| row[j as usize] == 0.0));
                full = scratch.touched.len() as f64 > i as f64 / SPARSE;
            }
            // The end of the row is found while adding. A binary search took a third of the time.
            for (&j, value) in columns.iter().zip(b(span)) {
                let Some(sum) = row.get_mut(j as usize) else { break };
                *sum += factor * value;
            }
        }
        if full {
            scratch.touched.clear();
        }
        full
    }

    /// The contribution of one row, up to its diagonal entry, to the squared distance.
    fn row_square(
        &self,
        i: usize,
        dense: Range<usize>,
        centre: &CentringTerm,
        scratch: &mut Scratch,
    ) -> f64 {
        let outer = self.outer[i];
        let full = outer != 0.0 && self.add_row(i, dense, scratch);
        let (row, touched) = (scratch.row.data_mut(), &mut scratch.touched);
        let own = outer * outer * std::mem::take(&mut row[i]) - centre.at(i, i);
        let left = if full {
            // Differences are squared, which avoids cancellation where both terms are large.
            let square = centre.distance(i, &row[..i], outer, &self.outer[..i]);
            row[..i].fill(0.0);
            square
        } else {
            // An entry that cancelled to zero may be listed twice; the second time it is zero.
            touched.drain(..).fold(centre.row_square(i), |square, j| {
                let j = j as usize;
                let value = outer * self.outer[j] * std::mem::take(&mut row[j]);
                square + value * (value - 2.0 * centre.at(i, j))
            })
        };
        own * own + 2.0 * left
    }
}

fn ones(span: Range<usize>) -> impl Iterator<Item = f64> {
    span.map(|_| 1.0)
}

/// The sum of the squared row lengths: the cost of the product with the transpose.
pub(crate) fn square_lengths(matrix: &SparseMatrix) -> f64 {
    matrix.indptr().windows(2).map(|w| ((w[1] - w[0]) as f64).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns from empty to full, and more than one chunk of rows.
    fn matrix(rows: u32, cols: u32) -> SparseMatrix {
        let filled = |i: u32, j: u32| (i * 7919 + j * 104_729) % 97 < 97 * j / cols;
        let entries: Vec<(u32, u32, f64)> = (0..rows)
            .flat_map(|i| (0..cols).map(move |j| (i, j)))
            .filter(|&(i, j)| filled(i, j))
            .map(|(i, j)| (i, j, f64::from((i + 3 * j) % 11) - 5.0))
            .collect();
        SparseMatrix::from_triplets(rows as usize, cols as usize, &entries).unwrap()
    }

    #[test]
    fn sums_are_those_of_the_dense_product() {
        for (rows, cols) in [(1, 1), (5, 40), (150, 31)] {
            let a = matrix(rows, cols);
            let transposed = a.transposed();
            let outer: Vec<f64> = (0..rows).map(|i| f64::from(i % 4)).collect();
            let inner: Vec<f64> = (0..cols).map(|j| 1.0 / f64::from(1 + j)).collect();
            let m: Vec<f64> = (0..rows).map(|i| f64::from(i % 3) - 1.0).collect();
            let row = |i: usize| -> Vec<f64> {
                let mut full = vec![0.0; cols as usize];
                for (j, value) in a.row(i) {
                    full[j as usize] = outer[i] * value * inner[j as usize];
                }
                full
            };
            let second: Vec<f64> = (0..rows).map(|i| 0.1 * f64::from(i % 7)).collect();
            let (mut square, mut whole) = (0.0, 0.0);
            for i in 0..rows as usize {
                for j in 0..rows as usize {
                    let entry: f64 = row(i).iter().zip(row(j)).map(|(x, y)| x * y).sum();
                    square += (entry - m[i] * second[j] - m[j] * second[i]).powi(2);
                    whole += entry * entry;
                }
            }
            let workspace = Workspace::default();
            let product = SymmetricProduct::new(&a, &transposed, &outer, &inner, &workspace);
            assert!(rows < 100 || product.dense.count > 5 && product.dense.count < 30);
            let found = product.squared_distance(&CentringTerm::new(m, second));
            let rounding = if product.dense.count > 0 { 1e-7 } else { 1e-12 };
            assert!((found - square).abs() <= rounding * (square + whole), "{found} {square}");
        }
    }

    #[test]
    fn what_centring_leaves_of_large_numbers_is_right() {
        let (rows, cols) = (150usize, 31usize);
        let value = |i: usize, j: usize| 100.0 + ((i * 7 + j * 13) % 11) as f64;
        let entries: Vec<(u32, u32, f64)> = (0..rows)
            .flat_map(|i| (0..cols).map(move |j| (i as u32, j as u32, value(i, j))))
            .collect();
        let a = SparseMatrix::from_triplets(rows, cols, &entries).unwrap();
        let mean = |j: usize| (0..rows).map(|i| value(i, j)).sum::<f64>() / rows as f64;
        let means: Vec<f64> = (0..cols).map(mean).collect();
        let row = |i: usize| -> Vec<f64> { (0..cols).map(|j| value(i, j) - means[j]).collect() };
        let product =
            |i: usize, j: usize| row(i).iter().zip(row(j)).map(|(x, y)| x * y).sum::<f64>();
        let places = (0..rows).flat_map(|i| (0..rows).map(move |j| (i, j)));
        let square: f64 = places.map(|(i, j)| product(i, j).powi(2)).sum();
        let along: Vec<f64> =
            (0..rows).map(|i| (0..cols).map(|j| value(i, j) * means[j]).sum::<f64>()).collect();
        let half = 0.5 * along.iter().sum::<f64>() / rows as f64;
        let centre = CentringTerm::new(along.iter().map(|h| h - half).collect(), vec![1.0; rows]);
        let (outer, inner) = (vec![1.0; rows], vec![1.0; cols]);
        let transposed = a.transposed();
        let workspace = Workspace::default();
        let all = SymmetricProduct::new(&a, &transposed, &outer, &inner, &workspace);
        assert!(all.dense.count == cols);
        let found = all.squared_distance(&centre);
        assert!((found / square - 1.0).abs() < 1e-4, "{found} {square}");
    }
}
