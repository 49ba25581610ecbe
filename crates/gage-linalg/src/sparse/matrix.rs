//! Sparse matrices in compressed rows (CSR): the format of links and word counts.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use thiserror::Error;

use crate::memory::Buffer;

/// Stored values of a sparse matrix.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Every stored entry is 1: an unweighted graph, a binary table. Takes no memory.
    Ones,
    /// Single precision.
    F32(Buffer<f32>),
    /// Double precision.
    F64(Buffer<f64>),
}

impl Values {
    /// The value at position `at`, widened.
    #[inline]
    pub fn get(&self, at: usize) -> f64 {
        match self {
            Values::Ones => 1.0,
            Values::F32(values) => f64::from(values[at]),
            Values::F64(values) => values[at],
        }
    }

    /// The narrowest form that holds `values` without loss.
    pub fn from_f64(values: Vec<f64>) -> Values {
        if values.iter().all(|&v| v == 1.0) {
            Values::Ones
        } else if values.iter().all(|&v| f64::from(v as f32) == v) {
            Values::F32(values.iter().map(|&v| v as f32).collect::<Vec<_>>().into())
        } else {
            Values::F64(values.into())
        }
    }

    fn len(&self) -> Option<usize> {
        match self {
            Values::Ones => None,
            Values::F32(values) => Some(values.len()),
            Values::F64(values) => Some(values.len()),
        }
    }

    fn bytes_each(&self) -> usize {
        match self {
            Values::Ones => 0,
            Values::F32(_) => 4,
            Values::F64(_) => 8,
        }
    }
}

/// Why three arrays are not a sparse matrix.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SparseError {
    /// The row pointer array has the wrong length.
    #[error("row pointers: expected {expected} entries (rows + 1), found {found}")]
    PointerLength {
        /// rows + 1
        expected: usize,
        /// what was given
        found: usize,
    },
    /// The row pointers do not start at 0, fall, or do not end at the number of stored entries.
    #[error("row pointers are not a rising sequence from 0 to {entries}: entry {at} is {value}")]
    PointerOrder {
        /// position in the array
        at: usize,
        /// the offending pointer
        value: u64,
        /// number of stored entries
        entries: usize,
    },
    /// A column index points outside the matrix.
    #[error("row {row}: column {column} is out of range, the matrix has {columns} columns")]
    ColumnRange {
        /// row of the entry
        row: usize,
        /// column found
        column: u64,
        /// number of columns
        columns: usize,
    },
    /// A row index points outside the matrix.
    #[error("entry {at}: row {row} is out of range, the matrix has {rows} rows")]
    RowRange {
        /// position of the entry
        at: usize,
        /// row found
        row: u64,
        /// number of rows
        rows: usize,
    },
    /// Indices and values differ in number.
    #[error("{indices} column indices but {values} values")]
    Lengths {
        /// number of indices
        indices: usize,
        /// number of values
        values: usize,
    },
    /// A stored value is NaN or infinite.
    #[error("row {row}, column {column}: value {value} is not a finite number")]
    NotFinite {
        /// row of the entry
        row: usize,
        /// column of the entry
        column: usize,
        /// the value
        value: f64,
    },
    /// More rows or columns than 32-bit indices can name.
    #[error("{what} = {found} exceeds the limit of {limit}")]
    TooLarge {
        /// rows or columns
        what: &'static str,
        /// what was given
        found: u64,
        /// the limit
        limit: u64,
    },
}

/// A sparse matrix in compressed rows, with sorted, unique columns in each row and finite values.
///
/// ```
/// use gage_embed::SparseMatrix;
/// // Two links, one of them given twice: duplicates are summed.
/// let links = SparseMatrix::from_triplets(3, 3, &[(0, 1, 1.0), (1, 2, 2.0), (0, 1, 1.0)])?;
/// assert_eq!(links.nnz(), 2);
/// assert_eq!(links.row(0).collect::<Vec<_>>(), [(1, 2.0)]);
/// # Ok::<(), gage_embed::linalg::SparseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SparseMatrix {
    rows: usize,
    cols: usize,
    pointers: Buffer<u64>,
    indices: Buffer<u32>,
    values: Values,
    /// The transpose, where it was given.
    transpose: Option<Arc<SparseMatrix>>,
    /// Whether it equals its transpose, once computed; shared between clones.
    symmetric: Arc<OnceLock<bool>>,
}

/// Iterates over the nonzeros of a row.
struct Row<'a> {
    columns: &'a [u32],
    values: RowValues<'a>,
    at: usize,
}

enum RowValues<'a> {
    Ones,
    F32(&'a [f32]),
    F64(&'a [f64]),
}

impl Iterator for Row<'_> {
    type Item = (u32, f64);

    #[inline]
    fn next(&mut self) -> Option<(u32, f64)> {
        let column = *self.columns.get(self.at)?;
        let value = match self.values {
            RowValues::Ones => 1.0,
            RowValues::F32(values) => f64::from(values[self.at]),
            RowValues::F64(values) => values[self.at],
        };
        self.at += 1;
        Some((column, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.columns.len() - self.at;
        (left, Some(left))
    }

    /// The kind of the values is matched once per row. Matching it per entry took most of the time
    /// of plain sums.
    #[inline]
    fn fold<B, F: FnMut(B, (u32, f64)) -> B>(self, start: B, add: F) -> B {
        let columns = self.columns[self.at..].iter().copied();
        match self.values {
            RowValues::Ones => columns.map(|column| (column, 1.0)).fold(start, add),
            RowValues::F32(values) => {
                let values = values[self.at..].iter().map(|&value| f64::from(value));
                columns.zip(values).fold(start, add)
            }
            RowValues::F64(values) => {
                columns.zip(values[self.at..].iter().copied()).fold(start, add)
            }
        }
    }
}

impl PartialEq for SparseMatrix {
    fn eq(&self, other: &SparseMatrix) -> bool {
        (self.rows, self.cols) == (other.rows, other.cols)
            && self.pointers == other.pointers
            && self.indices == other.indices
            && self.values == other.values
    }
}

impl SparseMatrix {
    /// Largest number of rows or columns.
    pub const MAX_DIMENSION: usize = u32::MAX as usize;

    /// Checks three compressed-row arrays and takes them over. Rows with unsorted or repeated
    /// columns are brought into canonical form (repeated entries are summed); canonical input is
    /// not copied. Cost O(nnz).
    pub fn new(
        rows: usize,
        cols: usize,
        pointers: impl Into<Buffer<u64>>,
        indices: impl Into<Buffer<u32>>,
        values: Values,
    ) -> Result<Self, SparseError> {
        check_dimension("rows", rows)?;
        check_dimension("columns", cols)?;
        let (pointers, indices) = (pointers.into(), indices.into());
        let expected = rows + 1;
        if pointers.len() != expected {
            return Err(SparseError::PointerLength { expected, found: pointers.len() });
        }
        if let Some(count) = values.len()
            && count != indices.len()
        {
            return Err(SparseError::Lengths { indices: indices.len(), values: count });
        }
        let entries = indices.len();
        let ends_meet = pointers[0] == 0 && pointers[rows] == entries as u64;
        if !ends_meet || pointers.windows(2).any(|w| w[0] > w[1]) {
            let at = if pointers[0] != 0 {
                0
            } else {
                pointers.windows(2).position(|w| w[0] > w[1]).map_or(rows, |at| at + 1)
            };
            return Err(SparseError::PointerOrder { at, value: pointers[at], entries });
        }
        let matrix = SparseMatrix::canonical(rows, cols, pointers, indices, values);
        matrix.check_entries()?;
        Ok(if matrix.is_canonical() { matrix } else { matrix.canonicalised() })
    }

    /// Takes over arrays that are known to be canonical, without checks.
    pub fn canonical(
        rows: usize,
        cols: usize,
        pointers: impl Into<Buffer<u64>>,
        indices: impl Into<Buffer<u32>>,
        values: Values,
    ) -> SparseMatrix {
        let (pointers, indices) = (pointers.into(), indices.into());
        let symmetric = Arc::default();
        SparseMatrix { rows, cols, pointers, indices, values, transpose: None, symmetric }
    }

    /// Builds a matrix from `(row, column, value)` entries in any order; repeated positions are
    /// summed.
    pub fn from_triplets(
        rows: usize,
        cols: usize,
        entries: &[(u32, u32, f64)],
    ) -> Result<Self, SparseError> {
        check_dimension("rows", rows)?;
        check_dimension("columns", cols)?;
        let mut pointers = vec![0u64; rows + 1];
        for (at, &(row, _, _)) in entries.iter().enumerate() {
            if row as usize >= rows {
                return Err(SparseError::RowRange { at, row: u64::from(row), rows });
            }
            pointers[row as usize + 1] += 1;
        }
        for row in 0..rows {
            pointers[row + 1] += pointers[row];
        }
        let mut next = pointers.clone();
        let mut indices = vec![0u32; entries.len()];
        let mut values = vec![0f64; entries.len()];
        for &(row, col, value) in entries {
            let at = next[row as usize] as usize;
            indices[at] = col;
            values[at] = value;
            next[row as usize] += 1;
        }
        SparseMatrix::new(rows, cols, pointers, indices, Values::F64(values.into()))
            .map(SparseMatrix::narrowed)
    }

    /// A matrix without entries.
    pub fn empty(rows: usize, cols: usize) -> Result<Self, SparseError> {
        SparseMatrix::new(rows, cols, vec![0u64; rows + 1], Vec::new(), Values::Ones)
    }

    fn check_entries(&self) -> Result<(), SparseError> {
        let fault = (0..self.rows).into_par_iter().find_map_first(|row| {
            let span = self.row_range(row);
            let columns = &self.indices[span.clone()];
            if let Some(&column) = columns.iter().find(|&&c| c as usize >= self.cols) {
                let column = u64::from(column);
                return Some(SparseError::ColumnRange { row, column, columns: self.cols });
            }
            let at = span.clone().find(|&at| !self.values.get(at).is_finite())?;
            let (column, value) = (self.indices[at] as usize, self.values.get(at));
            Some(SparseError::NotFinite { row, column, value })
        });
        fault.map_or(Ok(()), Err)
    }

    fn is_canonical(&self) -> bool {
        (0..self.rows)
            .into_par_iter()
            .all(|row| self.indices[self.row_range(row)].windows(2).all(|w| w[0] < w[1]))
    }

    fn canonicalised(&self) -> SparseMatrix {
        let rows: Vec<Vec<(u32, f64)>> = (0..self.rows)
            .into_par_iter()
            .map(|row| {
                let mut entries: Vec<(u32, f64)> = self.row(row).collect();
                // A stable sort, so that repeated entries are summed in the order given.
                entries.sort_by_key(|entry| entry.0);
                entries.dedup_by(|next, kept| {
                    let same = next.0 == kept.0;
                    if same {
                        kept.1 += next.1;
                    }
                    same
                });
                entries
            })
            .collect();
        let mut pointers = Vec::with_capacity(self.rows + 1);
        pointers.push(0u64);
        let total = rows.iter().map(Vec::len).sum();
        let (mut indices, mut values) = (Vec::with_capacity(total), Vec::with_capacity(total));
        for entries in rows {
            indices.extend(entries.iter().map(|entry| entry.0));
            values.extend(entries.iter().map(|entry| entry.1));
            pointers.push(indices.len() as u64);
        }
        SparseMatrix::canonical(self.rows, self.cols, pointers, indices, Values::from_f64(values))
    }

    /// The same matrix with values in the narrowest lossless form.
    pub fn narrowed(self) -> SparseMatrix {
        let values = match &self.values {
            Values::Ones => Values::Ones,
            Values::F32(v) if v.iter().all(|&v| v == 1.0) => Values::Ones,
            Values::F32(v) => Values::F32(v.clone()),
            Values::F64(v) => Values::from_f64(v.to_vec()),
        };
        SparseMatrix { values, transpose: None, ..self }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of stored entries.
    pub fn nnz(&self) -> usize {
        self.indices.len()
    }

    /// Row pointers: the entries of row `i` are at `indptr[i]..indptr[i + 1]`.
    pub fn indptr(&self) -> &[u64] {
        &self.pointers
    }

    /// Column of each stored entry.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Value of each stored entry.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Positions of the entries of `row`.
    #[inline]
    pub fn row_range(&self, row: usize) -> std::ops::Range<usize> {
        self.pointers[row] as usize..self.pointers[row + 1] as usize
    }

    /// The entries of one row as `(column, value)`.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let span = self.row_range(row);
        let values = match &self.values {
            Values::Ones => RowValues::Ones,
            Values::F32(values) => RowValues::F32(&values[span.clone()]),
            Values::F64(values) => RowValues::F64(&values[span.clone()]),
        };
        Row { columns: &self.indices[span], values, at: 0 }
    }

    /// Whether both share the same memory.
    pub fn is_same(&self, other: &SparseMatrix) -> bool {
        let values = match (&self.values, &other.values) {
            (Values::Ones, Values::Ones) => true,
            (Values::F32(a), Values::F32(b)) => std::ptr::eq(&**a, &**b),
            (Values::F64(a), Values::F64(b)) => std::ptr::eq(&**a, &**b),
            _ => false,
        };
        let places = std::ptr::eq(&*self.pointers, &*other.pointers)
            && std::ptr::eq(&*self.indices, &*other.indices);
        values && places && self.cols == other.cols
    }

    /// Bytes the three arrays take.
    pub fn bytes(&self) -> usize {
        8 * self.pointers.len() + (4 + self.values.bytes_each()) * self.indices.len()
    }

    /// The transpose that was given with this matrix, if any.
    pub fn known_transpose(&self) -> Option<Arc<SparseMatrix>> {
        self.transpose.clone()
    }

    /// The same matrix with its transpose.
    pub fn with_transpose(self, transpose: Arc<SparseMatrix>) -> SparseMatrix {
        SparseMatrix { transpose: Some(transpose), ..self }
    }

    /// Whether the matrix equals its transpose. Computed once.
    pub fn is_symmetric(&self) -> bool {
        *self.symmetric.get_or_init(|| self.equals_transpose())
    }

    /// The matrix made of the given rows, in that order.
    pub fn select_rows(&self, rows: &[u32]) -> Result<SparseMatrix, SparseError> {
        let mut pointers = Vec::with_capacity(rows.len() + 1);
        pointers.push(0u64);
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for (at, &row) in rows.iter().enumerate() {
            if row as usize >= self.rows {
                return Err(SparseError::RowRange { at, row: u64::from(row), rows: self.rows });
            }
            let span = self.row_range(row as usize);
            indices.extend_from_slice(&self.indices[span.clone()]);
            values.extend(span.map(|at| self.values.get(at)));
            pointers.push(indices.len() as u64);
        }
        SparseMatrix::new(rows.len(), self.cols, pointers, indices, Values::F64(values.into()))
            .map(SparseMatrix::narrowed)
    }
}

fn check_dimension(what: &'static str, found: usize) -> Result<(), SparseError> {
    let limit = SparseMatrix::MAX_DIMENSION as u64;
    if found as u64 > limit {
        return Err(SparseError::TooLarge { what, found: found as u64, limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_same_step_by_step_and_at_once() {
        for values in [
            Values::Ones,
            Values::F32(vec![0.5, -2.0, 0.0, 7.0].into()),
            Values::F64(vec![0.1, -2.0, 0.0, 7.0].into()),
        ] {
            let matrix =
                SparseMatrix::new(3, 5, vec![0, 3, 3, 4], vec![0, 2, 4, 1], values.clone())
                    .unwrap();
            let entries = |row: usize, places: std::ops::Range<usize>| -> Vec<(u32, f64)> {
                assert_eq!(matrix.row(row).size_hint(), (places.len(), Some(places.len())));
                places.map(|at| (matrix.indices()[at], values.get(at))).collect()
            };
            for (row, places) in [(0, 0..3), (1, 3..3), (2, 3..4)] {
                let expected = entries(row, places);
                for taken in 0..=expected.len() {
                    let mut left = matrix.row(row);
                    let mut all: Vec<(u32, f64)> = left.by_ref().take(taken).collect();
                    // `for_each` folds, where a loop takes one step after the other.
                    left.for_each(|entry| all.push(entry));
                    assert_eq!(all, expected, "row {row} after {taken}");
                }
            }
        }
    }
}
