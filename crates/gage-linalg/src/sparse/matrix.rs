//! Sparse matrices in compressed rows (CSR): the format of links and word counts.

use std::sync::{Arc, OnceLock};

use crate::memory::Buffer;

use super::row::{Row, RowValues};
use super::values::Values;

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
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) pointers: Buffer<u64>,
    pub(super) indices: Buffer<u32>,
    pub(super) values: Values,
    /// The transpose, where it was given.
    pub(super) transpose: Option<Arc<SparseMatrix>>,
    /// Whether it equals its transpose, once computed; shared between clones.
    pub(super) symmetric: Arc<OnceLock<bool>>,
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
}
