//! The exact norm of a sparse Gram matrix whose rows are spread over workers.
//!
//! `||A A^T - C||_F^2` is a sum over pairs of rows. Every worker keeps its rows and passes them
//! round the ring; half way round, every pair of workers has met. Only one foreign part is held at
//! a time. Cost as in one process, split evenly; bytes: each entry travels half the ring, with 12
//! bytes.

use rayon::prelude::*;

use crate::views::operator::{CentredGram, Factor, Stored};
use gage_linalg::workers::{Partition, transposed_rows};
use gage_linalg::{Reducer, SparseMatrix, Values};

use super::exact::{ExactSide, unit};

/// Rows per task.
const ROWS: usize = 64;

/// A row of the product with more than one nonzero in so many entries is summed as a whole.
const SPARSE: usize = 4;

/// Rows of `A`, and of the centring term `C_ij = first_i second_j + second_i first_j`.
struct Rows {
    matrix: SparseMatrix,
    first: Vec<f64>,
    second: Vec<f64>,
}

/// `||X||_F^2` of a view that is a sparse factor, by the Gram matrix of this side.
pub(super) fn squared_norm(
    base: &Factor,
    op: &CentredGram<'_>,
    side: ExactSide,
    reducer: &dyn Reducer,
) -> Option<f64> {
    let (Stored::Sparse { matrix, .. }, Some(needed)) = (&base.stored, &base.needed) else {
        return None;
    };
    let touched = needed.halo.touched();
    let n = op.observed();
    let scaled = scaled_rows(base, matrix, op, (touched, needed.owners.all()));
    let rows = match side {
        ExactSide::Columns => {
            let nodes = Partition::gathered(matrix.rows(), reducer);
            let matrix = transposed_rows(&scaled, &nodes, &needed.owners, reducer);
            let second = op.mean();
            Rows { matrix, first: second.iter().map(|m| 0.5 * n * m).collect(), second }
        }
        ExactSide::Rows => {
            let mean = needed.halo.gather_column(&op.mean(), reducer);
            let along = |row: usize| -> f64 {
                let span = scaled.row_range(row);
                let columns = matrix.indices()[span.clone()].iter();
                let values = span.map(|at| scaled.values().get(at));
                columns.zip(values).map(|(&col, value)| value * mean[col as usize]).sum()
            };
            let mut first: Vec<f64> = (0..matrix.rows()).into_par_iter().map(along).collect();
            let half = 0.5 * reducer.sum(first.iter().sum()) / n;
            let seen = |row: usize| f64::from(u8::from(op.observes(row)));
            let second: Vec<f64> = (0..matrix.rows()).map(seen).collect();
            first.iter_mut().zip(&second).for_each(|(first, seen)| *first -= half * seen);
            Rows { matrix: scaled, first, second }
        }
    };
    Some(squared_distance(&rows, reducer))
}

/// `diag(left) M diag(right)` with zero rows where nothing is observed, and columns of all workers.
fn scaled_rows(
    base: &Factor,
    matrix: &SparseMatrix,
    op: &CentredGram<'_>,
    (touched, cols): (&[u32], usize),
) -> SparseMatrix {
    let mut values = Vec::with_capacity(matrix.nnz());
    for row in 0..matrix.rows() {
        let left = if op.observes(row) { unit(&base.left, row) } else { 0.0 };
        values.extend(matrix.row(row).map(|(k, v)| left * v * unit(&base.right, k as usize)));
    }
    let indices: Vec<u32> = matrix.indices().iter().map(|&k| touched[k as usize]).collect();
    let pointers = matrix.indptr().to_vec();
    SparseMatrix::canonical(matrix.rows(), cols, pointers, indices, Values::F64(values.into()))
}

/// `||A A^T - C||_F^2` over the rows of all workers.
fn squared_distance(own: &Rows, reducer: &dyn Reducer) -> f64 {
    let (rank, size) = (reducer.rank(), reducer.size());
    let (compact, touched) = own.matrix.compacted();
    let local = Rows { matrix: compact, first: own.first.clone(), second: own.second.clone() };
    let sizes = reducer.gather_u64(&[own.matrix.rows() as u64, own.matrix.nnz() as u64]);
    let mut total = pair(&local, &touched, own);
    for step in 1..=size / 2 {
        let (to, from) = ((rank + size - step) % size, (rank + step) % size);
        let shape = (sizes[2 * from] as usize, sizes[2 * from + 1] as usize);
        let other = passed_on(own, (to, from), shape, reducer);
        // Exactly half way round, both ends of a pair meet it.
        if 2 * step < size || rank < from {
            total += 2.0 * pair(&local, &touched, &other);
        }
    }
    reducer.sum(total)
}

/// Sends the own rows to one worker and receives those of another.
fn passed_on(
    own: &Rows,
    (to, from): (usize, usize),
    (rows, entries): (usize, usize),
    reducer: &dyn Reducer,
) -> Rows {
    fn send<T: bytemuck::Pod>(
        own: &[T],
        (to, from): (usize, usize),
        count: usize,
        reducer: &dyn Reducer,
    ) -> Vec<T> {
        let mut messages: Vec<&[T]> = vec![&[]; reducer.size()];
        messages[to] = own;
        let mut sizes = vec![0; reducer.size()];
        sizes[from] = count;
        reducer.announce("rows round the ring", 0);
        reducer.all_to_all(&messages, &sizes)
    }
    let ends = (to, from);
    let indptr = send(own.matrix.indptr(), ends, rows + 1, reducer);
    let indices = send(own.matrix.indices(), ends, entries, reducer);
    let values: Vec<f64> = (0..own.matrix.nnz()).map(|at| own.matrix.values().get(at)).collect();
    let values = send(&values, ends, entries, reducer);
    let first = send(&own.first, ends, rows, reducer);
    let second = send(&own.second, ends, rows, reducer);
    let values = Values::F64(values.into());
    let matrix = SparseMatrix::canonical(rows, own.matrix.cols(), indptr, indices, values);
    Rows { matrix, first, second }
}

/// The terms of the pairs of own rows (with their columns only) and other rows.
fn pair(own: &Rows, touched: &[u32], other: &Rows) -> f64 {
    let columns = columns_of(&other.matrix, touched);
    let sums = other
        .first
        .iter()
        .zip(&other.second)
        .fold([0.0; 3], |sums, (x, y)| [sums[0] + x * x, sums[1] + x * y, sums[2] + y * y]);
    let chunks: Vec<f64> = (0..own.matrix.rows().div_ceil(ROWS))
        .into_par_iter()
        .map_init(
            || (vec![0.0; other.matrix.rows()], Vec::new()),
            |(row, positions), chunk| {
                let end = own.matrix.rows().min((chunk + 1) * ROWS);
                let square = |i| row_square(own, i, (&columns, other, &sums), row, positions);
                (chunk * ROWS..end).map(square).sum::<f64>()
            },
        )
        .collect();
    chunks.into_iter().sum()
}

/// The terms of one own row.
fn row_square(
    own: &Rows,
    i: usize,
    (columns, other, sums): (&SparseMatrix, &Rows, &[f64; 3]),
    row: &mut [f64],
    positions: &mut Vec<u32>,
) -> f64 {
    for (k, value) in own.matrix.row(i) {
        for (j, other) in columns.row(k as usize) {
            let sum = &mut row[j as usize];
            if *sum == 0.0 {
                positions.push(j);
            }
            *sum += value * other;
        }
    }
    let (x, y) = (own.first[i], own.second[i]);
    let centre = |j: usize| x * other.second[j] + y * other.first[j];
    if positions.len() > row.len() / SPARSE {
        positions.clear();
        // Differences are squared, which avoids cancellation where both terms are large.
        return (0..row.len()).map(|j| (std::mem::take(&mut row[j]) - centre(j)).powi(2)).sum();
    }
    let [xx, xy, yy] = *sums;
    let of_centre = x * x * yy + 2.0 * x * y * xy + y * y * xx;
    // An entry that cancelled to zero may be listed twice; the second time it is zero.
    positions.drain(..).fold(of_centre, |square, j| {
        let value = std::mem::take(&mut row[j as usize]);
        square + value * (value - 2.0 * centre(j as usize))
    })
}

/// The transpose of a matrix, of some of its columns.
fn columns_of(matrix: &SparseMatrix, columns: &[u32]) -> SparseMatrix {
    let (mut pointers, mut indices, mut values) = (vec![0u64], Vec::new(), Vec::new());
    for row in 0..matrix.rows() {
        for (col, value) in matrix.row(row) {
            if let Ok(at) = columns.binary_search(&col) {
                indices.push(at as u32);
                values.push(value);
            }
        }
        pointers.push(indices.len() as u64);
    }
    let values = Values::F64(values.into());
    SparseMatrix::canonical(matrix.rows(), columns.len(), pointers, indices, values).transposed()
}
