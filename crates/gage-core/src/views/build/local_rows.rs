//! Views with the rows of one worker only.

use std::ops::Range;
use std::sync::Arc;

use crate::graph::Mask;
use gage_linalg::{Real, SparseError, SparseMatrix, Tall};

use crate::views::ViewError;
use crate::views::operator::{Diagonal, Factor, Propagation, Stored, View};

/// Keeps the rows of one worker, and the whole view beside them: norms are taken of all rows.
pub(crate) fn restrict(view: &mut View, rows: Range<usize>) -> Result<(), ViewError> {
    let slice = |d: &Diagonal| d.as_ref().map(|d| Arc::from(&d[rows.clone()]));
    let factor = |factor: &Factor| -> Result<Factor, ViewError> {
        let stored = match &factor.stored {
            Stored::Sparse { matrix, .. } => {
                let matrix = with_shift(matrix, factor)?;
                let numbers: Vec<u32> = rows.clone().map(|row| row as u32).collect();
                let matrix = matrix.select_rows(&numbers)?;
                let transposed = Some(Arc::new(matrix.transposed()));
                Stored::Sparse { matrix, transposed }
            }
            Stored::DenseF32(tall) => Stored::DenseF32(Arc::new(tall_rows(tall, &rows))),
            Stored::MadeF32(tall) => Stored::MadeF32(Arc::new(tall_rows(tall, &rows))),
            Stored::DenseF64(tall) => Stored::DenseF64(Arc::new(tall_rows(tall, &rows))),
        };
        Ok(Factor { stored, left: slice(&factor.left), right: factor.right.clone(), shift: None })
    };
    view.whole = Some(Arc::new(view.clone()));
    let operator = &mut view.operator;
    if let Some(base) = &operator.base {
        operator.base = Some(factor(base)?);
    }
    if let Some(propagation) = &operator.propagation {
        let step = factor(&propagation.step)?;
        operator.propagation =
            Some(Propagation { step, coefficients: propagation.coefficients.clone() });
    }
    operator.row_scale = slice(&operator.row_scale);
    operator.local_rows = rows.len();
    if let Some(mask) = &view.observed {
        view.observed = Some(Mask::new(mask.as_slice()[rows].to_vec()));
    }
    Ok(())
}

fn tall_rows<T: Real>(tall: &Tall<T>, rows: &Range<usize>) -> Tall<T> {
    Tall::from_rows_in(tall.workspace(), rows.len(), tall.cols(), |row, out| {
        out.copy_from_slice(tall.row(rows.start + row));
    })
}

/// The matrix with the diagonal shift added to its entries. A shift refers to rows of a complete
/// block.
fn with_shift(matrix: &SparseMatrix, factor: &Factor) -> Result<SparseMatrix, SparseError> {
    let Some(shift) = &factor.shift else { return Ok(matrix.clone()) };
    let mut entries = Vec::with_capacity(matrix.nnz() + shift.len());
    for row in 0..matrix.rows() {
        entries.extend(matrix.row(row).map(|(col, value)| (row as u32, col, value)));
        let around = factor.left.as_ref().map_or(1.0, |left| left[row])
            * factor.right.as_ref().map_or(1.0, |right| right[row]);
        if around != 0.0 {
            entries.push((row as u32, row as u32, shift[row] / around));
        }
    }
    SparseMatrix::from_triplets(matrix.rows(), matrix.cols(), &entries)
}
