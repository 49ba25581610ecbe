//! Dense tables of attributes, row-major, NaN where an entry is missing.

use crate::memory::Buffer;

/// Stored numbers of a dense matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub enum DenseValues {
    /// Single precision.
    F32(Buffer<f32>),
    /// Double precision.
    F64(Buffer<f64>),
}

/// A dense matrix in row-major order. NaN marks a missing entry; a fit refuses infinities.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseMatrix {
    rows: usize,
    cols: usize,
    values: DenseValues,
}

impl DenseMatrix {
    /// Takes over `rows * cols` numbers; `None` when their count differs.
    pub fn new(rows: usize, cols: usize, values: DenseValues) -> Option<Self> {
        let found = match &values {
            DenseValues::F32(values) => values.len(),
            DenseValues::F64(values) => values.len(),
        };
        (rows.checked_mul(cols) == Some(found)).then_some(DenseMatrix { rows, cols, values })
    }

    /// A matrix from owned double-precision numbers.
    pub fn from_f64(rows: usize, cols: usize, values: Vec<f64>) -> Option<Self> {
        DenseMatrix::new(rows, cols, DenseValues::F64(values.into()))
    }

    /// The matrix made of the given rows, in that order.
    pub fn select_rows(&self, rows: &[u32]) -> DenseMatrix {
        fn select<T: Copy>(values: &[T], cols: usize, rows: &[u32]) -> Vec<T> {
            let row = |&row: &u32| &values[row as usize * cols..(row as usize + 1) * cols];
            rows.iter().flat_map(row).copied().collect()
        }
        let values = match &self.values {
            DenseValues::F32(values) => DenseValues::F32(select(values, self.cols, rows).into()),
            DenseValues::F64(values) => DenseValues::F64(select(values, self.cols, rows).into()),
        };
        DenseMatrix { rows: rows.len(), values, ..*self }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The stored numbers.
    pub fn values(&self) -> &DenseValues {
        &self.values
    }

    /// One entry, widened.
    #[inline]
    pub fn get(&self, row: usize, col: usize) -> f64 {
        let at = row * self.cols + col;
        match &self.values {
            DenseValues::F32(values) => f64::from(values[at]),
            DenseValues::F64(values) => values[at],
        }
    }

    /// Copies one row, widened, into `out`.
    pub fn read_row(&self, row: usize, out: &mut [f64]) {
        let span = row * self.cols..(row + 1) * self.cols;
        match &self.values {
            DenseValues::F32(values) => {
                for (out, &value) in out.iter_mut().zip(&values[span]) {
                    *out = f64::from(value);
                }
            }
            DenseValues::F64(values) => out.copy_from_slice(&values[span]),
        }
    }

    /// Bytes the numbers take.
    pub fn bytes(&self) -> usize {
        let each = match &self.values {
            DenseValues::F32(_) => 4,
            DenseValues::F64(_) => 8,
        };
        each * self.rows * self.cols
    }
}
