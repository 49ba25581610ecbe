//! Parquet files: edge lists and attribute tables by columns.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::contents::{AttributeTable, LinkTable};
use crate::error::{Origin, Place, ReadError, excerpt};
use crate::format::edge_list::roles::EdgeTable;
use crate::format::edge_list::rows::EdgeRows;
use crate::reading::{ColumnOptions, Examples};
use crate::source::open;
use crate::table::cells::days_of_time;
use crate::table::column_names::{SOURCE_NAMES, TARGET_NAMES, known_name};
use crate::table::encode::read_rows;
use crate::table::options::TableOptions;
use crate::table::rows::{EachRow, Rows};
use crate::table::schema::{Header, TableSchema};
use crate::text::dialect::is_missing;

const REMEDY: &str = "write the file again, with plain columns of numbers and text";
const BATCH: usize = 1 << 13;

type Cells = Vec<Option<String>>;

struct ParquetFile<'a> {
    path: &'a Path,
    reader: SerializedFileReader<std::fs::File>,
    names: Vec<String>,
}

/// Runs a call into the Parquet library. It does not promise never to panic on damaged files, so a
/// panic of its own would become an error like any other.
fn guarded<T>(
    path: &Path,
    place: &Place,
    call: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ReadError> {
    let found = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "data that make no sense".to_owned(),
    };
    Err(ReadError::damaged(path, place.clone(), found, "a Parquet file"))
}

impl<'a> ParquetFile<'a> {
    fn open(path: &'a Path) -> Result<Self, ReadError> {
        let source = open(path, "a Parquet file")?;
        let file = source.file.into_file();
        let file = file.map_err(|error| ReadError::from_io(path, Place::File, error))?;
        let reader = guarded(path, &Place::File, || SerializedFileReader::new(file))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let mut names = Vec::new();
        for column in schema.columns() {
            let name = column.path().string();
            if column.max_rep_level() > 0 {
                let place = Place::entry(format!("column `{name}`"));
                let expected = "one number or text per row";
                return Err(ReadError::unsupported(path, place, "a list", expected, REMEDY));
            }
            names.push(name);
        }
        Ok(ParquetFile { path, reader, names })
    }

    /// Calls `each` with the cells of the wanted columns, group of rows by group of rows.
    fn for_each_group(
        &self,
        wanted: &[usize],
        mut each: impl FnMut(Vec<Cells>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let schema = self.reader.metadata().file_metadata().schema_descr_ptr();
        for group in 0..self.reader.num_row_groups() {
            let mut columns = Vec::with_capacity(wanted.len());
            for &at in wanted {
                let place = Place::entry(format!("column `{}`", self.names[at]));
                let level = schema.column(at).max_def_level();
                let cells = guarded(self.path, &place, || {
                    let group = self.reader.get_row_group(group)?;
                    read_column(group.get_column_reader(at)?, level)
                })?;
                columns.push(cells);
            }
            if columns.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
                let place = Place::entry(format!("row group {group}"));
                let found = "columns of different lengths";
                return Err(ReadError::damaged(self.path, place, found, "one length"));
            }
            each(columns)?;
        }
        Ok(())
    }
}

fn read_column(reader: ColumnReader, level: i16) -> Result<Cells, ParquetError> {
    let utf8 = |bytes: &[u8]| {
        String::from_utf8(bytes.to_vec()).map_err(|_| {
            ParquetError::General(format!("text that is not UTF-8, {}", excerpt(bytes)))
        })
    };
    match reader {
        ColumnReader::BoolColumnReader(r) => texts(r, level, |v| Ok(v.to_string())),
        ColumnReader::Int32ColumnReader(r) => texts(r, level, |v| Ok(v.to_string())),
        ColumnReader::Int64ColumnReader(r) => texts(r, level, |v| Ok(v.to_string())),
        ColumnReader::FloatColumnReader(r) => texts(r, level, |v| Ok(f64::from(*v).to_string())),
        ColumnReader::DoubleColumnReader(r) => texts(r, level, |v| Ok(v.to_string())),
        ColumnReader::ByteArrayColumnReader(r) => texts(r, level, |v: &ByteArray| utf8(v.data())),
        ColumnReader::FixedLenByteArrayColumnReader(r) => texts(r, level, |v| utf8(v.data())),
        ColumnReader::Int96ColumnReader(_) => {
            Err(ParquetError::General("96-bit times, which are not supported".to_owned()))
        }
    }
}

fn texts<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    level: i16,
    text: impl Fn(&T::T) -> Result<String, ParquetError>,
) -> Result<Cells, ParquetError> {
    let (mut cells, mut values, mut levels) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        values.clear();
        levels.clear();
        let (records, _, _) = reader.read_records(BATCH, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Ok(cells);
        }
        if level == 0 {
            for value in &values {
                cells.push(Some(text(value)?));
            }
            continue;
        }
        let mut next = values.iter();
        for &found in &levels {
            let value = if found == level { next.next() } else { None };
            cells.push(value.map(&text).transpose()?);
        }
    }
}

/// Whether a Parquet file has the columns of an edge list.
pub(crate) fn parquet_has_edges(path: &Path) -> Result<bool, ReadError> {
    let file = ParquetFile::open(path)?;
    let has = |known: &[&str]| file.names.iter().any(|n| known.contains(&known_name(n).as_str()));
    Ok(has(&SOURCE_NAMES) && has(&TARGET_NAMES))
}

/// Reads an edge list from a Parquet file: columns called `source` and `target` (or the only two),
/// and perhaps one called `weight`. Ids are in order of first appearance; repeated links are
/// summed.
pub fn read_parquet_edges(path: impl AsRef<Path>) -> Result<LinkTable, ReadError> {
    parquet_edges(path.as_ref(), &ColumnOptions::default())
}

pub(crate) fn parquet_edges(path: &Path, options: &ColumnOptions) -> Result<LinkTable, ReadError> {
    let file = ParquetFile::open(path)?;
    let origin = Origin::from(path);
    if file.names.len() < 2 {
        let found = format!("the columns {}", file.names.join(", "));
        let expected = "columns `source` and `target`";
        return Err(ReadError::malformed(path, Place::File, found, expected, REMEDY));
    }
    let table = EdgeTable { origin: &origin, names: &file.names, header: true, rows: &[] };
    let roles = table.roles(options)?;
    let time = roles.time.filter(|_| options.half_life.is_some());
    let further = [roles.weight, roles.relation, time];
    let wanted: Vec<usize> =
        [roles.source, roles.target].into_iter().chain(further.into_iter().flatten()).collect();
    let at = |column: Option<usize>| wanted.iter().position(|&own| Some(own) == column);
    let (weight, relation, time) = (at(roles.weight), at(roles.relation), at(time));
    let mut links = EdgeRows::new(options.half_life);
    let mut examples = vec![Examples::default(); wanted.len()];
    let mut row: u64 = 0;
    file.for_each_group(&wanted, |columns| {
        #[allow(clippy::needless_range_loop, reason = "a row takes cells of several columns")]
        for at in 0..columns[0].len() {
            let place = || Place::entry(format!("row {row}"));
            let cell = |column: usize| columns[column][at].as_deref().unwrap_or_default();
            let ends = [cell(0), cell(1)];
            if ends.contains(&"") {
                let remedy = "fill in the id or remove the row";
                return Err(ReadError::malformed(path, place(), "no id", "two ids", remedy));
            }
            let weight = match weight.map(cell) {
                None => None,
                // NaN was computed; a cell without anything was left out.
                Some(text) if is_missing(text) && !text.eq_ignore_ascii_case("nan") => Some(None),
                Some(text) => Some(Some(weight_of(path, place(), text)?)),
            };
            let time = time.map(cell).map(|text| {
                days_of_time(text).ok_or_else(|| {
                    let found = excerpt(text.as_bytes());
                    ReadError::malformed(path, place(), found, "a time", REMEDY)
                })
            });
            links.push(ends, weight, relation.map(cell), time.transpose()?);
            for (column, examples) in examples.iter_mut().enumerate() {
                examples.add(cell(column));
            }
            row += 1;
        }
        Ok(())
    })?;
    let mut made = links.finish(&origin)?;
    let mut reading = roles.reading(&table, None, options.half_life);
    for (&at, examples) in wanted.iter().zip(examples) {
        reading.columns[at].examples = examples.finish();
    }
    made.warnings.splice(0..0, roles.warnings);
    made.reading = Some(reading);
    Ok(made)
}

fn weight_of(path: &Path, place: Place, text: &str) -> Result<f64, ReadError> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) => {
            let remedy = "replace the weight by a number, or remove the row";
            Err(ReadError::not_finite(path, place, value, remedy))
        }
        Err(_) => {
            let found = excerpt(text.as_bytes());
            Err(ReadError::malformed(path, place, found, "a number as weight", REMEDY))
        }
    }
}

/// Reads an attribute table from a Parquet file, by the rules of text tables; a null is a missing
/// cell.
pub fn read_parquet_table(path: impl AsRef<Path>) -> Result<AttributeTable, ReadError> {
    let columns = &ColumnOptions::default();
    parquet_table(path.as_ref(), &TableOptions { columns, like: None })
}

pub(crate) fn parquet_table(
    path: &Path,
    options: &TableOptions<'_>,
) -> Result<AttributeTable, ReadError> {
    let file = ParquetFile::open(path)?;
    if file.names.is_empty() {
        let expected = "columns";
        return Err(ReadError::malformed(path, Place::File, "no columns", expected, REMEDY));
    }
    let first = file.reader.metadata().file_metadata().schema_descr().column(0).physical_type();
    let fractions = matches!(first, Type::FLOAT | Type::DOUBLE);
    let origin = Origin::from(path);
    let names = Header::named(file.names.clone(), fractions);
    let schema = TableSchema::find(&origin, names, options)?;
    read_rows(&origin, &file, schema, options.like)
}

impl Rows for ParquetFile<'_> {
    fn for_each(&self, each: &mut EachRow<'_>) -> Result<(), ReadError> {
        let all: Vec<usize> = (0..self.names.len()).collect();
        let mut row = 0;
        self.for_each_group(&all, |columns| {
            let rows = columns.first().map_or(0, Vec::len);
            let mut cells: Vec<Cow<'_, str>> = Vec::with_capacity(columns.len());
            for at in 0..rows {
                cells.clear();
                cells.extend(columns.iter().map(|c| Cow::Borrowed(c[at].as_deref().unwrap_or(""))));
                row += 1;
                each(row, &cells)?;
            }
            Ok(())
        })
    }
}
