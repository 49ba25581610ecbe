//! Attribute tables: an id and any mixture of numbers, categories and text in each row.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use gage_core::graph::{ColumnKind, Labels, Matrix, Nodes, TableColumn, TableEncoding};
use gage_linalg::{DenseMatrix, DenseValues, SparseMatrix};

use crate::contents::AttributeTable;
use crate::error::{Origin, Place, ReadError, excerpt};
use crate::labels::from_texts;
use crate::node_ids::{check_unique, duplicate_id};
use crate::sparse_builder::{ValueBuilder, sparse_error};
use crate::table::columns::{Encoded, Encoder, Profile};
use crate::table::schema::{TableSchema, not_ids, targets};
use crate::text::dialect::{is_missing, is_number};

pub(crate) const EXPECTED: &str = "an attribute table: an id and attributes in each row";
/// Cells a table with missing entries may have to be kept dense, whatever its filling.
const DENSE_CELLS: usize = 1 << 25;

/// What is done with the line (or row) number and the cells of a row.
pub(crate) type EachRow<'a> = dyn FnMut(u64, &[Cow<'_, str>]) -> Result<(), ReadError> + 'a;

/// Rows of cells that can be read twice.
pub(crate) trait Rows {
    /// Calls `each` for every row.
    fn for_each(&self, each: &mut EachRow<'_>) -> Result<(), ReadError>;
}

/// Reads the rows twice: to learn what the columns are, and to encode them.
pub(crate) fn read_rows(
    origin: &Origin,
    rows: &dyn Rows,
    schema: TableSchema,
    like: Option<&TableEncoding>,
) -> Result<AttributeTable, ReadError> {
    let TableSchema { names, header, id, sure, label, mut warnings } = schema;
    let width = names.len();
    let mut profiles: Vec<Profile> = names.iter().cloned().map(Profile::new).collect();
    let (mut ids, mut lines, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    rows.for_each(&mut |line, cells| {
        if cells.len() != width {
            let found = format!("{} cells", cells.len());
            let expected = format!("{width}, as on the first line");
            let remedy = "complete the row; put cells that contain the separator in quotes";
            return Err(ReadError::malformed(origin, Place::Line(line), found, expected, remedy));
        }
        for (at, (cell, profile)) in cells.iter().zip(&mut profiles).enumerate() {
            if Some(at) == id {
                if cell.is_empty() {
                    let place = Place::Cell(line, profile.name.as_str().into());
                    let remedy = "give the row an id or remove it";
                    let (found, expected) = ("an empty cell", "an id");
                    return Err(ReadError::malformed(origin, place, found, expected, remedy));
                }
                ids.push(cell.clone().into_owned());
            } else if Some(at) == label {
                labels.push((!is_missing(cell)).then(|| cell.clone().into_owned()));
            } else if like.is_none() {
                profile.add(line, cell);
            }
        }
        lines.push(line);
        Ok(())
    })?;
    check_unique(origin, &ids, &lines).map_err(|error| match id {
        Some(at) if !sure && ids.iter().all(|id| is_number(id)) => {
            not_ids(origin, &names[at], error)
        }
        _ => error,
    })?;
    let skipped = |at: usize| Some(at) == id || Some(at) == label;
    let learnt;
    let (encoding, targets) = match like {
        Some(like) => (like, targets(like, origin, &names, header, &skipped, &mut warnings)?),
        None => {
            learnt = learn(origin, profiles, header, id, &skipped, &mut warnings)?;
            (&learnt, (0..width).map(Some).collect())
        }
    };
    if label.is_some() {
        let text = "column `label` is read as labels, not as an attribute";
        warnings.push(format!("{origin}: {text}"));
    }
    let job =
        Job { origin, encoding, targets: &targets, learning: like.is_none(), count: lines.len() };
    let encoded = job.encode(rows, &mut warnings)?;
    let ids = match id {
        Some(_) => {
            Some(Nodes::named(&ids).map_err(|error| duplicate_id(origin, error, Place::Line, 1))?)
        }
        None => None,
    };
    let labels: Option<Labels> = label.map(|_| from_texts(&labels));
    let dense = matches!(encoded.0, Matrix::Dense(_));
    Ok(AttributeTable {
        ids,
        matrix: encoded.0,
        columns: Some(encoding.column_names()),
        encoding: Some(TableEncoding { dense, ..encoding.clone() }),
        observed: encoded.1,
        labels,
        warnings,
    })
}

fn learn(
    origin: &Origin,
    profiles: Vec<Profile>,
    header: bool,
    id: Option<usize>,
    skipped: &dyn Fn(usize) -> bool,
    warnings: &mut Vec<String>,
) -> Result<TableEncoding, ReadError> {
    let mut columns = Vec::with_capacity(profiles.len());
    for (at, profile) in profiles.into_iter().enumerate() {
        let name = profile.name.clone();
        let kind = match skipped(at) {
            true => None,
            false => match profile.decide(origin)? {
                Ok(kind) => Some(kind),
                Err(why) => {
                    warnings.push(format!("{origin}: {why} and is left out"));
                    None
                }
            },
        };
        columns.push(TableColumn { name, kind });
    }
    if columns.iter().all(|column| column.kind.is_none()) {
        let found = format!("no usable column besides the id ({})", warnings.join("; "));
        let remedy = "give at least one column that differs between rows";
        return Err(ReadError::malformed(origin, Place::File, found, EXPECTED, remedy));
    }
    // Names that repeat do not tell columns apart; their order does.
    let mut seen = HashSet::new();
    let header = header && columns.iter().all(|column| seen.insert(column.name.as_str()));
    Ok(TableEncoding { header, id, dense: false, columns })
}

/// The second reading of a table.
struct Job<'a> {
    origin: &'a Origin,
    encoding: &'a TableEncoding,
    /// for every column of the file its column in the encoding
    targets: &'a [Option<usize>],
    /// whether the encoding was made for this very table, which then also decides how it is stored
    learning: bool,
    count: usize,
}

impl Job<'_> {
    /// Numbers of all rows, and which rows have any cell.
    fn encode(
        &self,
        rows: &dyn Rows,
        warnings: &mut Vec<String>,
    ) -> Result<(Matrix, Option<Vec<bool>>), ReadError> {
        let columns = &self.encoding.columns;
        let mut starts = Vec::with_capacity(columns.len());
        let mut width = 0usize;
        for column in columns {
            starts.push(width as u32);
            width += column.kind.as_ref().map_or(0, ColumnKind::width);
        }
        let encoders: Vec<Option<Encoder<'_>>> =
            columns.iter().map(|column| column.kind.as_ref().map(Encoder::new)).collect();
        let targets: Vec<(usize, usize)> = self
            .targets
            .iter()
            .enumerate()
            .filter_map(|(at, target)| Some((at, target.filter(|&to| encoders[to].is_some())?)))
            .collect();
        let given: HashSet<usize> = targets.iter().map(|target| target.1).collect();
        let absent: Vec<usize> = (0..columns.len())
            .filter(|at| encoders[*at].is_some() && !given.contains(at))
            .collect();
        let (mut pointers, mut indices) = (vec![0u64], Vec::new());
        let mut values = ValueBuilder::new();
        let mut missing: Vec<(usize, usize)> = Vec::new();
        let mut observed: Vec<bool> = Vec::new();
        let mut entries: Vec<(u32, f64)> = Vec::new();
        let mut unknown: BTreeMap<usize, Unknown> = BTreeMap::new();
        rows.for_each(&mut |line, cells| {
            let before = missing.len();
            entries.clear();
            for &(at, to) in &targets {
                let (Some(cell), Some(encoder)) = (cells.get(at), &encoders[to]) else { continue };
                match encoder.encode(cell, starts[to], &mut entries) {
                    Encoded::Missing => missing.push((observed.len(), to)),
                    Encoded::Added { unknown: 0 } => {}
                    Encoded::Added { unknown: more } => {
                        unknown.entry(to).or_insert_with(|| Unknown::at(line)).count += more;
                    }
                    Encoded::NotANumber => return Err(self.not_a_number(line, to, cell)),
                }
            }
            observed.push(missing.len() - before < targets.len());
            // Columns of the file may stand in another order than those of the encoding.
            entries.sort_unstable_by_key(|entry| entry.0);
            for &(column, value) in &entries {
                indices.push(column);
                values.push(value);
            }
            pointers.push(indices.len() as u64);
            Ok(())
        })?;
        if !self.learning {
            self.note_unknown(&unknown, warnings);
        }
        let (origin, count) = (self.origin, self.count);
        let changed = observed.len() != count;
        let sparse = SparseMatrix::new(observed.len(), width, pointers, indices, values.finish())
            .map_err(|error| sparse_error(origin, Place::File, error))?;
        if changed {
            let found = format!("{} rows on the second reading", sparse.rows());
            return Err(ReadError::damaged(
                origin,
                Place::File,
                found,
                format!("{count}, as before"),
            ));
        }
        let cells = count.saturating_mul(width);
        let filled = sparse.nnz().saturating_mul(3) > cells;
        let inner_missing = missing.iter().any(|&(row, _)| observed[row]);
        let mask = (!observed.iter().all(|&o| o)).then_some(observed);
        let dense = match self.learning {
            true => filled || (inner_missing && cells <= DENSE_CELLS),
            false => self.encoding.dense,
        };
        if dense {
            let every_row = (0..count).flat_map(|row| absent.iter().map(move |&at| (row, at)));
            let gaps = missing.iter().copied().chain(every_row);
            let dense = fill(&sparse, gaps, columns, &starts).ok_or_else(|| {
                let found = format!("{count} rows of {width} columns");
                let remedy = "split the table";
                ReadError::too_large(origin, Place::File, found, "a table that fits memory", remedy)
            })?;
            return Ok((dense.into(), mask));
        }
        if inner_missing {
            let text = format!("{} missing cells of this wide table count as 0", missing.len());
            warnings.push(format!("{origin}: {text} (for numbers, the mean)"));
        }
        Ok((sparse.into(), mask))
    }

    fn not_a_number(&self, line: u64, column: usize, cell: &str) -> ReadError {
        let place = Place::Cell(line, self.encoding.columns[column].name.as_str().into());
        let (found, expected) = (excerpt(cell.as_bytes()), "a number, as in the fitted table");
        let remedy = "write a number, or leave the cell empty if it is missing";
        ReadError::malformed(self.origin, place, found, expected, remedy)
    }

    fn note_unknown(&self, unknown: &BTreeMap<usize, Unknown>, warnings: &mut Vec<String>) {
        for (&at, Unknown { count, line }) in unknown {
            let column = &self.encoding.columns[at];
            let what = match column.kind {
                Some(ColumnKind::Text { .. }) => "words",
                _ => "values",
            };
            let text = format!("column `{}`: {count} {what} are not in the model", column.name);
            let text = format!("{text}, left out; the first on line {line}");
            warnings.push(format!("{}: {text}", self.origin));
        }
    }
}

/// Values or words of a column that its encoding does not have.
struct Unknown {
    count: usize,
    line: u64,
}

impl Unknown {
    fn at(line: u64) -> Unknown {
        Unknown { count: 0, line }
    }
}

/// The table with every cell stored, NaN where it is missing.
fn fill(
    sparse: &SparseMatrix,
    missing: impl Iterator<Item = (usize, usize)>,
    columns: &[TableColumn],
    starts: &[u32],
) -> Option<DenseMatrix> {
    let width = sparse.cols();
    let cells = sparse.rows().checked_mul(width)?;
    let mut values: Vec<f32> = Vec::new();
    values.try_reserve_exact(cells).ok()?;
    values.resize(cells, 0.0);
    for row in 0..sparse.rows() {
        for (col, value) in sparse.row(row) {
            values[row * width + col as usize] = value as f32;
        }
    }
    for (row, at) in missing {
        let start = row * width + starts[at] as usize;
        let cells = columns[at].kind.as_ref().map_or(0, ColumnKind::width);
        values[start..start + cells].fill(f32::NAN);
    }
    DenseMatrix::new(sparse.rows(), width, DenseValues::F32(values.into()))
}
