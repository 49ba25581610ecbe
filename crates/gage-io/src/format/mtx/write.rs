//! Writes Matrix Market files.

use std::io::{self, Write};

use gage_linalg::{SparseMatrix, Values};

/// Writes a matrix as Matrix Market, counting from 1 as the format does; unweighted links as
/// `pattern`.
pub fn write_mtx(matrix: &SparseMatrix, out: &mut dyn Write) -> io::Result<()> {
    let pattern = matches!(matrix.values(), Values::Ones);
    let field = if pattern { "pattern" } else { "real" };
    writeln!(out, "%%MatrixMarket matrix coordinate {field} general")?;
    writeln!(out, "{} {} {}", matrix.rows(), matrix.cols(), matrix.nnz())?;
    for row in 0..matrix.rows() {
        for (col, value) in matrix.row(row) {
            match pattern {
                true => writeln!(out, "{} {}", row + 1, col + 1)?,
                false => writeln!(out, "{} {} {value:?}", row + 1, col + 1)?,
            }
        }
    }
    Ok(())
}
