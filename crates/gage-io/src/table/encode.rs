//! Attribute tables: an id and any mixture of numbers, categories and text in each row.

use std::collections::{BTreeMap, HashSet};

use gage_core::Hint;
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
use crate::table::profile::Profile;
use crate::table::rows::Rows;
use crate::table::schema::{TableSchema, Use, not_ids, targets};
use crate::text::dialect::{RowNumbers, is_number};

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
    if let Some(at) = id.filter(|_| !schema.sure && like.is_none()) {
        refuse_numbers_as_ids(origin, &schema.names[at], &ids, &profiles)?;
    }
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

/// Refuses a first column of numbers as ids where another column tells rows apart by texts.
fn refuse_numbers_as_ids(
    origin: &Origin,
    column: &str,
    ids: &[String],
    profiles: &[Profile],
) -> Result<(), ReadError> {
    let mut numbers = ids.iter();
    let counted = numbers.try_fold(RowNumbers::default(), |all, id| all.followed_by(id));
    if counted.is_some() || !ids.iter().all(|id| is_number(id)) {
        return Ok(());
    }
    let Some(other) = profiles.iter().find(|profile| profile.tells_rows_apart()) else {
        return Ok(());
    };
    let found = "no column called like an id, and two readings are plausible: the numbers";
    let found = format!("{found} in `{column}`, or the texts in `{}`", other.name);
    Err(ReadError::malformed(origin, Place::File, found, "one column of ids", Hint::IdColumn))
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
        let layout = Layout::new(&self.encoding.columns, self.targets);
        let scanned = self.scan(rows, &layout)?;
        if !self.learning {
            self.note_unknown(&scanned.unknown, warnings);
        }
        let Scanned { pointers, indices, values, missing, observed, .. } = scanned;
        let (origin, count, width) = (self.origin, self.count, layout.width);
        let changed = observed.len() != count;
        let sparse = SparseMatrix::new(observed.len(), width, pointers, indices, values.finish())
            .map_err(|error| sparse_error(origin, Place::File, error))?;
        if changed {
            let found = format!("{} rows on the second reading", sparse.rows());
            let expected = format!("{count}, as before");
            return Err(ReadError::damaged(origin, Place::File, found, expected));
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
            let absent = &layout.absent;
            let every_row = (0..count).flat_map(|row| absent.iter().map(move |&at| (row, at)));
            let gaps = missing.iter().copied().chain(every_row);
            let dense = layout.fill(&sparse, gaps).ok_or_else(|| {
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

    /// Reads every row once.
    fn scan(&self, rows: &dyn Rows, layout: &Layout<'_>) -> Result<Scanned, ReadError> {
        let mut scanned = Scanned::new();
        let mut entries: Vec<(u32, f64)> = Vec::new();
        rows.for_each(&mut |line, cells| {
            let before = scanned.missing.len();
            entries.clear();
            for &(at, to) in &layout.targets {
                let Some((cell, encoder)) = cells.get(at).zip(layout.encoders[to].as_ref()) else {
                    continue;
                };
                match encoder.encode(cell, layout.starts[to], &mut entries) {
                    Encoded::Missing => scanned.missing.push((scanned.observed.len(), to)),
                    Encoded::Added { unknown: 0 } => {}
                    Encoded::Added { unknown: more } => {
                        let first = || Unknown { count: 0, line };
                        scanned.unknown.entry(to).or_insert_with(first).count += more;
                    }
                    Encoded::Unreadable { expected } => {
                        return Err(self.unreadable(line, to, cell, expected));
                    }
                }
            }
            scanned.observed.push(scanned.missing.len() - before < layout.targets.len());
            // Columns of the file may stand in another order than those of the encoding.
            entries.sort_unstable_by_key(|entry| entry.0);
            for &(column, value) in &entries {
                scanned.indices.push(column);
                scanned.values.push(value);
            }
            scanned.pointers.push(scanned.indices.len() as u64);
            Ok(())
        })?;
        Ok(scanned)
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

/// What the second reading collects.
struct Scanned {
    pointers: Vec<u64>,
    indices: Vec<u32>,
    values: ValueBuilder,
    /// rows and columns of the encoding without a value
    missing: Vec<(usize, usize)>,
    /// for every row whether it has any cell
    observed: Vec<bool>,
    unknown: BTreeMap<usize, Unknown>,
}

impl Scanned {
    fn new() -> Scanned {
        Scanned {
            pointers: vec![0],
            indices: Vec::new(),
            values: ValueBuilder::new(),
            missing: Vec::new(),
            observed: Vec::new(),
            unknown: BTreeMap::new(),
        }
    }
}

/// Where the columns of a table go.
struct Layout<'a> {
    columns: &'a [TableColumn],
    /// the first number of every column of the encoding
    starts: Vec<u32>,
    /// numbers in a row
    width: usize,
    encoders: Vec<Option<Encoder<'a>>>,
    /// columns of the file with their columns of the encoding
    targets: Vec<(usize, usize)>,
    /// columns of the encoding that the file lacks
    absent: Vec<usize>,
}

impl<'a> Layout<'a> {
    fn new(columns: &'a [TableColumn], targets: &[Option<usize>]) -> Layout<'a> {
        let mut starts = Vec::with_capacity(columns.len());
        let mut width = 0usize;
        for column in columns {
            starts.push(width as u32);
            width += column.kind.as_ref().map_or(0, ColumnKind::width);
        }
        let encoders: Vec<Option<Encoder<'_>>> =
            columns.iter().map(|column| column.kind.as_ref().map(Encoder::new)).collect();
        let encoded = |to: &usize| encoders[*to].is_some();
        let targets = targets.iter().enumerate();
        let targets: Vec<(usize, usize)> =
            targets.filter_map(|(at, target)| Some((at, target.filter(encoded)?))).collect();
        let given: HashSet<usize> = targets.iter().map(|target| target.1).collect();
        let absent = (0..columns.len()).filter(|at| encoded(at) && !given.contains(at)).collect();
        Layout { columns, starts, width, encoders, targets, absent }
    }

    /// The table with every cell stored, NaN where it is missing.
    fn fill(
        &self,
        sparse: &SparseMatrix,
        missing: impl Iterator<Item = (usize, usize)>,
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
            let start = row * width + self.starts[at] as usize;
            let cells = self.columns[at].kind.as_ref().map_or(0, ColumnKind::width);
            values[start..start + cells].fill(f32::NAN);
        }
        DenseMatrix::new(sparse.rows(), width, DenseValues::F32(values.into()))
    }
}
