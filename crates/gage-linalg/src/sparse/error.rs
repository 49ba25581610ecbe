//! Why arrays are not a sparse matrix.

use thiserror::Error;

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
