//! The well filled columns of a sparse matrix, written out.

use std::ops::Range;

use faer::MatRef;
use rayon::prelude::*;

use gage_linalg::{SparseMatrix, Tall};

/// Fewer rows are not worth it.
const FEWEST_ROWS: usize = 64;

/// The place of a column that is not among the dense ones.
const ELSEWHERE: u32 = u32::MAX;

/// Bytes of dense columns at most; the fullest are taken.
const DENSE_BYTES: usize = 64 << 20;

/// Well filled columns of `A diag(inner)`, row by row. They are multiplied in single precision: an entry of the product is
/// good to six digits or more, and a sum of the squares of millions of them to eight.
pub(crate) struct DenseColumns {
    /// Where a column of `A` is among them.
    place: Vec<u32>,
    pub(crate) count: usize,
    /// Divided by the unit.
    values: Tall<f32>,
    /// The largest number of `A diag(inner)`, so that numbers of any size fit.
    pub(crate) unit: f64,
}

impl DenseColumns {
    /// Of the columns of which more than one in `one_in` entries are filled.
    pub(crate) fn new(
        a: &SparseMatrix,
        transposed: &SparseMatrix,
        inner: &[f64],
        one_in: usize,
    ) -> DenseColumns {
        let rows = a.rows();
        let filled = |column: usize| transposed.row_range(column).len();
        let mut full: Vec<usize> =
            (0..transposed.rows()).filter(|&c| one_in * filled(c) > rows).collect();
        full.sort_by_key(|&column| (std::cmp::Reverse(filled(column)), column));
        full.truncate(DENSE_BYTES / (4 * rows.max(1)));
        // Every row of the product is then read from end to end, which must be worth it.
        let saved: f64 = full.iter().map(|&column| (filled(column) as f64).powi(2)).sum();
        if rows <= FEWEST_ROWS || saved < (rows as f64).powi(2) {
            full.clear();
        }
        let count = full.len();
        let mut place = vec![ELSEWHERE; transposed.rows()];
        full.iter().zip(0..).for_each(|(&column, at)| place[column] = at);
        let sizes = (0..transposed.rows()).into_par_iter().map(|column| {
            let sizes = transposed.row(column).map(|(_, value)| (value * inner[column]).abs());
            sizes.fold(0.0, f64::max)
        });
        let unit = Some(sizes.reduce(|| 0.0, f64::max)).filter(|&unit| unit > 0.0).unwrap_or(1.0);
        let values = Tall::from_rows(rows, count, |row, out: &mut [f32]| {
            a.row(row).for_each(|(column, value)| {
                if let Some(out) = out.get_mut(place[column as usize] as usize) {
                    *out = (value * inner[column as usize] / unit) as f32;
                }
            });
        });
        DenseColumns { place, count, values, unit }
    }

    /// Whether a column of `A` is among them.
    #[inline]
    pub(crate) fn contains(&self, column: usize) -> bool {
        self.place[column] != ELSEWHERE
    }

    /// Some of their rows.
    pub(crate) fn rows(&self, rows: Range<usize>) -> MatRef<'_, f32> {
        let values = &self.values.data()[rows.start * self.count..rows.end * self.count];
        MatRef::from_row_major_slice(values, rows.len(), self.count)
    }
}
