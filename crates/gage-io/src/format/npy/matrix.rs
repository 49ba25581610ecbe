//! Conversion of dense arrays to matrices.

use std::path::Path;

use gage_core::graph::Matrix;
use gage_linalg::{DenseMatrix, DenseValues};

use crate::error::{Place, ReadError};
use crate::format::npy::read::{Array, read_npy};
use crate::sparse_builder::sparse_if_smaller;

/// Reads a dense table of numbers from an `.npy` file; one dimension makes a single column.
pub(crate) fn read_npy_matrix(path: &Path) -> Result<Matrix, ReadError> {
    match read_npy(path)? {
        Array::Numbers(dense) => sparse_if_smaller(path, dense),
        Array::Integers { shape, values } => dense_from_integers(path, &shape, values),
        Array::Texts(_) => {
            let remedy = "one-hot encode it, or give it as an attribute table (.csv)";
            Err(ReadError::malformed(path, Place::File, "an array of strings", "numbers", remedy))
        }
    }
}

/// A table of whole numbers, in the smaller of the two forms.
pub(crate) fn dense_from_integers(
    path: &Path,
    shape: &[usize],
    values: Vec<i64>,
) -> Result<Matrix, ReadError> {
    let (rows, cols) = (shape.first().copied().unwrap_or(1), shape.get(1).copied().unwrap_or(1));
    let exact = values.iter().all(|&value| value.unsigned_abs() <= 1 << 24);
    let values = if exact {
        DenseValues::F32(values.iter().map(|&value| value as f32).collect::<Vec<_>>().into())
    } else {
        DenseValues::F64(values.iter().map(|&value| value as f64).collect::<Vec<_>>().into())
    };
    let dense = DenseMatrix::new(rows, cols, values).ok_or_else(|| {
        ReadError::damaged(path, Place::File, "fewer numbers than the shape says", "all of them")
    })?;
    sparse_if_smaller(path, dense)
}
