//! Links as Matrix Market files and edge lists.

use std::io::{self, Write};

use gage_embed::{Nodes, SparseMatrix, Values};

use super::text::push_quoted;

/// Writes a matrix as Matrix Market, counting from 1 as the format does; unweighted links as `pattern`.
pub(crate) fn write_matrix_market(matrix: &SparseMatrix, out: &mut dyn Write) -> io::Result<()> {
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

/// Writes an edge list with ids; undirected links once, weights only if there are any.
pub(crate) fn write_edges(
    matrix: &SparseMatrix,
    nodes: &Nodes,
    directed: bool,
    separator: char,
    out: &mut dyn Write,
) -> io::Result<()> {
    let weighted = !matches!(matrix.values(), Values::Ones);
    let weight = if weighted { format!("{separator}weight") } else { String::new() };
    writeln!(out, "source{separator}target{weight}")?;
    for row in 0..matrix.rows() {
        for (col, value) in matrix.row(row).filter(|&(col, _)| directed || col as usize >= row) {
            let mut line = String::new();
            push_quoted(&nodes.id(row), separator, &mut line);
            line.push(separator);
            push_quoted(&nodes.id(col as usize), separator, &mut line);
            if weighted {
                line.push_str(&format!("{separator}{value:?}"));
            }
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
