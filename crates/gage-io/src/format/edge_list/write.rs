//! Writes edge lists.

use std::io::{self, Write};

use gage_core::graph::Nodes;
use gage_linalg::{SparseMatrix, Values};

use crate::format::delimited::write::push_quoted;

/// Writes an edge list with ids; undirected links once, weights only if there are any.
pub fn write_edge_list(
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
