//! Attribute tables: an id and any mixture of numbers, categories and text in each row.

use std::collections::{BTreeMap, HashSet};

use gage_core::graph::{ColumnKind, Labels, Matrix, Nodes, TableColumn, TableEncoding};
use gage_linalg::{DenseMatrix, DenseValues, SparseMatrix};

use crate::contents::AttributeTable;
use crate::error::{Origin, Place, ReadError, excerpt};
use crate::labels::from_texts;
use crate::node_ids::{check_unique, duplicate_id};
use crate::note::Note;
use crate::sparse_builder::{ValueBuilder, sparse_error};
use crate::table::columns::{Encoded, Encoder};
use crate::table::learn::{First, Learner, first_pass, reading};
use crate::table::rows::Rows;
use crate::table::schema::{TableSchema, Use, not_ids, targets};
use crate::text::dialect::is_number;

/// Cells a table with missing entries may have to be kept dense, whatever its filling.
const DENSE_CELLS: usize = 1 << 25;

/// Reads the rows twice: to learn what the columns are, and to encode them.
pub(crate) fn read_rows(
    origin: &Origin,
    rows: &dyn Rows,
    mut schema: TableSchema,
    like: Option<&TableEncoding>,
) -> Result<AttributeTable, ReadError> {
    let First { profiles, counts, ids, lines, labels } =
        first_pass(origin, rows, &schema, like.is_none())?;
    let id = schema.find_use(&Use::Id);
    check_unique(origin, &ids, &lines).map_err(|error| match id {
        Some(at) if !schema.sure && ids.iter().all(|id| is_number(id)) => {
            not_ids(origin, &schema.names[at], error)
        }
        _ => error,
    })?;
    let skipped = |at: usize| !matches!(schema.uses[at], Use::Attribute(_));
    let mut warnings = Vec::new();
    let mut whys = vec![None; schema.names.len()];
    let (encoding, targets) = match like {
        Some(like) => {
            let (names, header) = (&schema.names, schema.header);
            (like.clone(), targets(like, origin, names, header, &skipped, &mut warnings)?)
        }
        None => {
            let learner = Learner { origin, rows, schema: &schema };
            (
                learner.learn(profiles, &mut whys, &mut warnings)?,
                (0..schema.names.len()).map(Some).collect(),
            )
        }
    };
    let job = Job {
        origin,
        encoding: &encoding,
        targets: &targets,
        learning: like.is_none(),
        count: lines.len(),
    };
    let encoded = job.encode(rows, &mut warnings)?;
    let kind_of = |at: usize| targets[at].and_then(|to: usize| encoding.columns[to].kind.as_ref());
    let reading = reading(origin, &schema, counts, whys, &kind_of);
    warnings.splice(0..0, schema.warnings.drain(..));
    let ids = match id {
        Some(_) => {
            Some(Nodes::named(&ids).map_err(|error| duplicate_id(origin, error, Place::Line, 1))?)
        }
        None => None,
    };
    let labels: Option<Labels> = schema.find_use(&Use::Label).map(|_| from_texts(&labels));
    let dense = matches!(encoded.0, Matrix::Dense(_));
    Ok(AttributeTable {
        ids,
        matrix: encoded.0,
        columns: Some(encoding.column_names()),
        encoding: Some(TableEncoding { dense, ..encoding }),
        observed: encoded.1,
        labels,
        warnings,
        reading: Some(reading),
    })
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
        warnings: &mut Vec<Note>,
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
                    Encoded::Unreadable { expected } => {
                        return Err(self.unreadable(line, to, cell, expected));
                    }
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
            warnings.push(format!("{origin}: {text} (for numbers, the mean)").into());
        }
        Ok((sparse.into(), mask))
    }

    fn unreadable(&self, line: u64, column: usize, cell: &str, expected: &str) -> ReadError {
        let place = Place::Cell(line, self.encoding.columns[column].name.as_str().into());
        let (found, expected) =
            (excerpt(cell.as_bytes()), format!("{expected}, as in the fitted table"));
        let remedy = "write it that way, or leave the cell empty if it is missing";
        ReadError::malformed(self.origin, place, found, expected, remedy)
    }

    fn note_unknown(&self, unknown: &BTreeMap<usize, Unknown>, warnings: &mut Vec<Note>) {
        for (&at, Unknown { count, line }) in unknown {
            let column = &self.encoding.columns[at];
            let what = match column.kind {
                Some(ColumnKind::Text { .. }) => "words",
                _ => "values",
            };
            let text = format!("column `{}`: {count} {what} are not in the model", column.name);
            let text = format!("{text}, left out; the first on line {line}");
            warnings.push(format!("{}: {text}", self.origin).into());
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
