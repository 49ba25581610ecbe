//! The two files of a LINQS citation data set: `.content` and `.cites`.

use std::path::{Path, PathBuf};

use gage_core::graph::Nodes;
use gage_linalg::SparseMatrix;

use crate::contents::{AttributeTable, EdgeSemantics, LinkTable};
use crate::error::{Place, ReadError, excerpt};
use crate::format::edge_list::parse::EdgeColumns;
use crate::format::edge_list::read::read_columns;
use crate::labels::from_texts;
use crate::node_ids::{check_unique, duplicate_id};
use crate::source::format_extension;
use crate::sparse_builder::{ValueBuilder, check_shape, sparse_error};
use crate::text::dialect::{Records, Separator};

const EXPECTED: &str = "LINQS content: id, attribute values and label on each line";

/// Reads a `.content` file: an id, attribute values (kept as they are) and a label on each line.
pub fn read_content(path: impl AsRef<Path>) -> Result<AttributeTable, ReadError> {
    let path = path.as_ref();
    let (mut ids, mut lines, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    let (mut pointers, mut indices) = (vec![0u64], Vec::new());
    let mut values = ValueBuilder::new();
    let mut width = None;
    Records::open(path, Separator::Blanks, EXPECTED)?.for_each(path, |line, cells| {
        let [id, features @ .., label] = cells else {
            let remedy = "write id, values and label, separated by tabs";
            let found = format!("{} cells", cells.len());
            return Err(ReadError::malformed(path, Place::Line(line), found, EXPECTED, remedy));
        };
        let expected = *width.get_or_insert(features.len());
        if features.len() != expected {
            let found = format!("{} values", features.len());
            let expected = format!("{expected}, as on the first line");
            let remedy = "complete the line or remove it";
            return Err(ReadError::malformed(path, Place::Line(line), found, expected, remedy));
        }
        for (cell, col) in features.iter().zip(0u32..) {
            let place = || Place::Cell(line, (col + 2).to_string().into());
            let value = cell.parse::<f64>().map_err(|_| {
                let (found, remedy) = (excerpt(cell.as_bytes()), "write values as numbers");
                ReadError::malformed(path, place(), found, "a number", remedy)
            })?;
            if !value.is_finite() {
                let remedy = "replace it by a number";
                return Err(ReadError::not_finite(path, place(), value, remedy));
            }
            if value != 0.0 {
                indices.push(col);
                values.push(value);
            }
        }
        pointers.push(indices.len() as u64);
        ids.push(id.clone().into_owned());
        labels.push(Some(label.clone().into_owned()));
        lines.push(line);
        Ok(())
    })?;
    if ids.is_empty() {
        return Err(ReadError::empty(path, EXPECTED));
    }
    check_unique(path, &ids, &lines)?;
    let shape = (ids.len() as u64, width.unwrap_or(0) as u64);
    let (rows, cols) = check_shape(path, Place::File, shape, indices.len() as u64)?;
    let matrix = SparseMatrix::new(rows, cols, pointers, indices, values.finish())
        .map_err(|error| sparse_error(path, Place::File, error))?;
    let nodes = Nodes::named(&ids).map_err(|error| duplicate_id(path, error, Place::Line, 1))?;
    Ok(AttributeTable {
        ids: Some(nodes),
        labels: Some(from_texts(&labels)),
        ..AttributeTable::from(gage_core::graph::Matrix::from(matrix))
    })
}

/// Reads a `.cites` file: the cited and the citing id on each line. Links go from the citing to the
/// cited.
pub fn read_cites(path: impl AsRef<Path>) -> Result<LinkTable, ReadError> {
    let columns = EdgeColumns::ends(Separator::Blanks, 1, 0);
    let table = read_columns(path.as_ref(), &columns, false, false)?;
    Ok(LinkTable { semantics: EdgeSemantics::Arcs, ..table })
}

/// The other file of the pair, if it is there.
pub(crate) fn sibling(path: &Path) -> Option<PathBuf> {
    let other = match format_extension(path).as_str() {
        "content" => "cites",
        "cites" => "content",
        _ => return None,
    };
    Some(path.with_extension(other)).filter(|path| path.is_file())
}
