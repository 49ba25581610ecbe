//! Attribute tables: an id and any mixture of numbers, categories and text in each row.

use std::borrow::Cow;
use std::path::Path;

use crate::graph::{Labels, Matrix, Nodes};
use crate::linalg::{DenseMatrix, DenseValues, SparseMatrix};

use super::assemble::{ValueBuilder, sparse_error};
use super::columns::{Encoding, Profile};
use super::dialect::{Records, Sample, Separator, has_header, is_missing, is_number, sample};
use super::error::{Place, ReadError};
use super::formats::AttributeTable;
use super::labels::from_texts;
use super::nodes::{check_unique, duplicate_id};

const EXPECTED: &str = "an attribute table: an id and attributes in each row";
pub(super) const ID_NAMES: [&str; 8] =
    ["id", "node", "node_id", "nodeid", "key", "name", "index", "ids"];
const LABEL_NAMES: [&str; 2] = ["label", "labels"];
/// Cells a table with missing entries may have to be kept dense, whatever its filling.
const DENSE_CELLS: usize = 1 << 25;

/// What is done with the line (or row) number and the cells of a row.
pub(super) type EachRow<'a> = dyn FnMut(u64, &[Cow<'_, str>]) -> Result<(), ReadError> + 'a;

/// Rows of cells that can be read twice.
pub(super) trait Rows {
    /// Calls `each` for every row.
    fn for_each(&self, each: &mut EachRow<'_>) -> Result<(), ReadError>;
}

struct TextRows<'a> {
    path: &'a Path,
    separator: Separator,
    header: bool,
}

impl Rows for TextRows<'_> {
    fn for_each(&self, each: &mut EachRow<'_>) -> Result<(), ReadError> {
        let mut skip = self.header;
        Records::open(self.path, self.separator, EXPECTED)?.for_each(self.path, |line, cells| {
            if std::mem::take(&mut skip) { Ok(()) } else { each(line, cells) }
        })
    }
}

/// Reads an attribute table (`.csv`, `.tsv`, `.txt`, perhaps `.gz` or `.zst`). The separator and a header are
/// recognised. The id is in the column called `id`, `node`, `key` or `name`, otherwise in the first one; a table whose
/// first column holds fractions has no ids. A column called `label` becomes labels, not attributes.
///
/// Numbers are standardised (mean 0, variance 1), categories become one 0/1 column per value, and free text one
/// column per word, weighted by tf-idf. Empty cells are missing: NaN. Cost: two passes over the file.
pub fn read_attribute_table(path: impl AsRef<Path>) -> Result<AttributeTable, ReadError> {
    let path = path.as_ref();
    let Sample { separator, rows } = sample(path, EXPECTED)?;
    let header = has_header(&rows, &ID_NAMES);
    let first = rows.first().cloned().unwrap_or_default();
    let id = match header {
        true => ID_NAMES
            .iter()
            .find_map(|name| first.iter().position(|cell| cell.to_lowercase() == *name))
            .or(Some(0)),
        false => {
            let fraction =
                |row: &Vec<String>| row.first().is_some_and(|c| is_number(c) && c.contains('.'));
            (!rows.iter().all(fraction)).then_some(0)
        }
    };
    let names: Vec<String> = match header {
        true => first,
        false => (1..=first.len()).map(|column| format!("column {column}")).collect(),
    };
    encode_rows(path, &TextRows { path, separator, header }, names, id)
}

/// Reads the rows twice: to learn what the columns are, and to encode them.
pub(super) fn encode_rows(
    path: &Path,
    rows: &dyn Rows,
    names: Vec<String>,
    id: Option<usize>,
) -> Result<AttributeTable, ReadError> {
    let width = names.len();
    let label = names.iter().position(|name| LABEL_NAMES.contains(&name.to_lowercase().as_str()));
    let mut profiles: Vec<Profile> = names.into_iter().map(Profile::new).collect();
    let (mut ids, mut lines, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    rows.for_each(&mut |line, cells| {
        if cells.len() != width {
            let found = format!("{} cells", cells.len());
            let expected = format!("{width}, as on the first line");
            let remedy = "complete the row; put cells that contain the separator in quotes";
            return Err(ReadError::malformed(path, Place::Line(line), found, expected, remedy));
        }
        for (at, (cell, profile)) in cells.iter().zip(&mut profiles).enumerate() {
            if Some(at) == id {
                if cell.is_empty() {
                    let place = Place::Cell(line, profile.name.as_str().into());
                    let remedy = "give the row an id or remove it";
                    return Err(ReadError::malformed(
                        path,
                        place,
                        "an empty cell",
                        "an id",
                        remedy,
                    ));
                }
                ids.push(cell.clone().into_owned());
            } else if Some(at) == label {
                labels.push((!is_missing(cell)).then(|| cell.clone().into_owned()));
            } else {
                profile.add(line, cell);
            }
        }
        lines.push(line);
        Ok(())
    })?;
    check_unique(path, &ids, &lines)?;
    let mut warnings = Vec::new();
    let mut encodings: Vec<Option<Encoding>> = Vec::new();
    for (at, profile) in profiles.into_iter().enumerate() {
        if Some(at) == id || Some(at) == label {
            encodings.push(None);
            continue;
        }
        encodings.push(match profile.decide(path)? {
            Ok(encoding) => Some(encoding),
            Err(why) => {
                warnings.push(format!("{}: {why} and is left out", path.display()));
                None
            }
        });
    }
    if encodings.iter().all(Option::is_none) {
        let found = format!("no usable column besides the id ({})", warnings.join("; "));
        let remedy = "give at least one column that differs between rows";
        return Err(ReadError::malformed(path, Place::File, found, EXPECTED, remedy));
    }
    if label.is_some() {
        let text = "column `label` is read as labels, not as an attribute";
        warnings.push(format!("{}: {text}", path.display()));
    }
    let encoded = encode(path, rows, &encodings, lines.len(), &mut warnings)?;
    let columns = encodings.iter().flatten().flat_map(Encoding::names).collect();
    let ids = match id {
        Some(_) => {
            Some(Nodes::named(&ids).map_err(|error| duplicate_id(path, error, Place::Line, 1))?)
        }
        None => None,
    };
    let labels: Option<Labels> = label.map(|_| from_texts(&labels));
    Ok(AttributeTable {
        ids,
        matrix: encoded.0,
        columns: Some(columns),
        observed: encoded.1,
        labels,
        warnings,
    })
}

/// Numbers of all rows, and which rows have any cell.
fn encode(
    path: &Path,
    rows: &dyn Rows,
    encodings: &[Option<Encoding>],
    count: usize,
    warnings: &mut Vec<String>,
) -> Result<(Matrix, Option<Vec<bool>>), ReadError> {
    let mut starts = Vec::with_capacity(encodings.len());
    let mut width = 0usize;
    for encoding in encodings {
        starts.push(width as u32);
        width += encoding.as_ref().map_or(0, Encoding::width);
    }
    let used = encodings.iter().flatten().count();
    let (mut pointers, mut indices) = (vec![0u64], Vec::new());
    let mut values = ValueBuilder::new();
    let (mut missing, mut observed): (Vec<(usize, usize)>, Vec<bool>) = (Vec::new(), Vec::new());
    rows.for_each(&mut |_, cells| {
        let before = missing.len();
        for (at, cell) in cells.iter().enumerate() {
            let Some(Some(encoding)) = encodings.get(at) else { continue };
            let Some(entries) = encoding.encode(cell) else {
                missing.push((observed.len(), at));
                continue;
            };
            for (column, value) in entries {
                indices.push(starts[at] + column);
                values.push(value);
            }
        }
        observed.push(missing.len() - before < used);
        pointers.push(indices.len() as u64);
        Ok(())
    })?;
    let changed = observed.len() != count;
    let sparse = SparseMatrix::new(observed.len(), width, pointers, indices, values.finish())
        .map_err(|error| sparse_error(path, Place::File, error))?;
    if changed {
        let found = format!("{} rows on the second reading", sparse.rows());
        return Err(ReadError::damaged(path, Place::File, found, format!("{count}, as before")));
    }
    let cells = count.saturating_mul(width);
    let filled = sparse.entries().saturating_mul(3) > cells;
    let inner_missing = missing.iter().any(|&(row, _)| observed[row]);
    let mask = (!observed.iter().all(|&o| o)).then_some(observed);
    if filled || (inner_missing && cells <= DENSE_CELLS) {
        let dense = fill(&sparse, &missing, encodings, &starts);
        return Ok((dense.map_or(sparse.into(), Matrix::from), mask));
    }
    if inner_missing {
        let text = format!("{} missing cells of this wide table count as 0", missing.len());
        warnings.push(format!("{}: {text} (for numbers, the mean)", path.display()));
    }
    Ok((sparse.into(), mask))
}

/// The table with every cell written out, NaN where it is missing.
fn fill(
    sparse: &SparseMatrix,
    missing: &[(usize, usize)],
    encodings: &[Option<Encoding>],
    starts: &[u32],
) -> Option<DenseMatrix> {
    let width = sparse.cols();
    let mut values = vec![0f32; sparse.rows().checked_mul(width)?];
    for row in 0..sparse.rows() {
        for (col, value) in sparse.row(row) {
            values[row * width + col as usize] = value as f32;
        }
    }
    for &(row, at) in missing {
        let start = row * width + starts[at] as usize;
        let cells = encodings[at].as_ref().map_or(0, Encoding::width);
        values[start..start + cells].fill(f32::NAN);
    }
    DenseMatrix::new(sparse.rows(), width, DenseValues::F32(values.into()))
}
