//! The columns of a sparse matrix with many nonzeros, as a dense matrix.

use std::ops::Range;

use faer::MatRef;
use rayon::prelude::*;

use gage_linalg::{SparseMatrix, Tall, Workspace};

/// Matrices with fewer rows have no dense columns.
const FEWEST_ROWS: usize = 64;

/// Slot of a column that is not dense.
const NOT_DENSE: u32 = u32::MAX;

/// Bytes of dense columns at most; those with most nonzeros are taken.
const DENSE_BYTES: usize = 64 << 20;

/// Columns of `A diag(inner)` with many nonzeros, row by row. They are multiplied in single
/// precision: an entry of the product has six digits or more, a sum of squares of millions of them
/// eight.
pub(crate) struct DenseColumns {
    /// Slot of every column of `A`.
    slot: Vec<u32>,
    pub(crate) count: usize,
    /// Divided by the unit.
    values: Tall<f32>,
    /// The largest entry of `A diag(inner)`, which avoids overflow.
    pub(crate) unit: f64,
}

impl DenseColumns {
    /// Takes the columns with more than one nonzero in `one_in` entries.
    pub(crate) fn new(
        (a, transposed): (&SparseMatrix, &SparseMatrix),
        inner: &[f64],
        one_in: usize,
        workspace: &Workspace,
    ) -> DenseColumns {
        let rows = a.rows();
        let filled = |column: usize| transposed.row_range(column).len();
        let mut full: Vec<usize> =
            (0..transposed.rows()).filter(|&c| one_in * filled(c) > rows).collect();
        full.sort_by_key(|&column| (std::cmp::Reverse(filled(column)), column));
        full.truncate(DENSE_BYTES / (4 * rows.max(1)));
        // Dense columns make every row of the product dense, which costs its full length.
        let saved: f64 = full.iter().map(|&column| (filled(column) as f64).powi(2)).sum();
        if rows <= FEWEST_ROWS || saved < (rows as f64).powi(2) {
            full.clear();
        }
        let count = full.len();
        let mut slot = vec![NOT_DENSE; transposed.rows()];
        full.iter().zip(0..).for_each(|(&column, at)| slot[column] = at);
        let sizes = (0..transposed.rows()).into_par_iter().map(|column| {
            let sizes = transposed.row(column).map(|(_, value)| (value * inner[column]).abs());
            sizes.fold(0.0, f64::max)
        });
        let unit = Some(sizes.reduce(|| 0.0, f64::max)).filter(|&unit| unit > 0.0).unwrap_or(1.0);
        let values = Tall::from_rows_in(workspace, rows, count, |row, out: &mut [f32]| {
            a.row(row).for_each(|(column, value)| {
                if let Some(out) = out.get_mut(slot[column as usize] as usize) {
                    *out = (value * inner[column as usize] / unit) as f32;
                }
            });
        });
        DenseColumns { slot, count, values, unit }
    }

    /// Whether a column of `A` is dense.
    #[inline]
    pub(crate) fn contains(&self, column: usize) -> bool {
        self.slot[column] != NOT_DENSE
    }

    /// A range of their rows.
    pub(crate) fn rows(&self, rows: Range<usize>) -> MatRef<'_, f32> {
        let values = &self.values.data()[rows.start * self.count..rows.end * self.count];
        MatRef::from_row_major_slice(values, rows.len(), self.count)
    }
}
