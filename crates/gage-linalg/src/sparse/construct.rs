//! Construction of sparse matrices from arrays, triplets and rows: checks and canonical form.

use std::sync::Arc;

use rayon::prelude::*;

use crate::memory::Buffer;

use super::error::SparseError;
use super::matrix::SparseMatrix;
use super::values::Values;

impl SparseMatrix {
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
