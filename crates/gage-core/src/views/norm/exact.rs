//! When the norm of a sparse Gram matrix is computed exactly, and by which product.

use crate::views::operator::{Diagonal, Factor, Stored};
use gage_linalg::{Reducer, SparseMatrix};

use super::symmetric_product::square_lengths;

/// Multiply-adds up to which a sparse Gram norm is computed exactly, where a row of the Gram matrix
/// fits into the cache of a core and where it does not.
const EXACT_WORK: (f64, f64) = (2e9, 1e8);
const EXACT_WORK_PER_ENTRY: f64 = 16.0;
/// Entries of a row that fits into the cache.
const CACHED_ROW: usize = 1 << 14;

/// Multiply-adds up to which the norm of a sparse matrix is computed exactly.
pub(crate) fn exact_limit(matrix: &SparseMatrix) -> f64 {
    exact_limit_of(matrix.rows(), matrix.cols(), matrix.nnz() as f64)
}

fn exact_limit_of(rows: usize, cols: usize, entries: f64) -> f64 {
    let work = if rows.min(cols) <= CACHED_ROW { EXACT_WORK.0 } else { EXACT_WORK.1 };
    work + EXACT_WORK_PER_ENTRY * entries
}

/// The side whose Gram matrix is cheaper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ExactSide {
    /// `Y Y^T`, which costs the squared column lengths.
    Rows,
    /// `Y^T Y`, which costs the squared row lengths.
    Columns,
}

/// The side by which a sparse factor of several workers is measured, if that is cheap; all of them
/// find the same.
pub(super) fn exact_side(base: &Factor, reducer: &dyn Reducer) -> Option<ExactSide> {
    let (Stored::Sparse { matrix, .. }, Some(needed)) = (&base.stored, &base.needed) else {
        return None;
    };
    let mut entries = vec![0.0; matrix.cols()];
    matrix.indices().iter().for_each(|&col| entries[col as usize] += 1.0);
    let lengths = needed.halo.own_totals(&entries, reducer);
    let mut sums = [
        square_lengths(matrix),
        lengths.iter().map(|length| length * length).sum::<f64>(),
        matrix.nnz() as f64,
        matrix.rows() as f64,
    ];
    reducer.sum_f64(&mut sums);
    let [by_rows, by_columns, entries, rows] = sums;
    let limit = exact_limit_of(rows as usize, needed.owners.all(), entries);
    if base.shift.is_some() || by_rows.min(by_columns) > limit {
        return None;
    }
    Some(if by_rows <= by_columns { ExactSide::Columns } else { ExactSide::Rows })
}

/// An entry of a diagonal factor.
pub(crate) fn unit(diagonal: &Diagonal, at: usize) -> f64 {
    diagonal.as_ref().map_or(1.0, |diagonal| diagonal[at])
}
