//! Reads embeddings from Parquet: a column `id` and one column of numbers per dimension.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{ByteArrayType, DataType, DoubleType, FloatType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use gage_core::graph::Nodes;
use gage_linalg::{AnyTall, Tall};

use crate::error::{Place, ReadError};
use crate::format::embedding_error::{bad, unique_nodes, unreadable};
use crate::source::open;

/// Values taken at a time.
const BATCH: usize = 1 << 13;
const EXPECTED: &str = "an embedding: columns id, e0, e1, ...";

/// Runs a call into the Parquet library, which does not promise never to panic on damaged files.
fn guarded<T>(path: &Path, call: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ReadError> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(bad(path, Place::File, error, EXPECTED)),
        Err(_) => Err(bad(path, Place::File, "data that make no sense", EXPECTED)),
    }
}

fn names(file: &SerializedFileReader<File>) -> Vec<String> {
    let schema = file.metadata().file_metadata().schema_descr();
    schema.columns().iter().map(|column| column.path().string()).collect()
}

fn open_file(path: &Path) -> Result<File, ReadError> {
    let source = open(path, EXPECTED)?;
    source.file.into_file().map_err(|error| unreadable(path, error))
}

/// Whether a file has the columns of an embedding.
pub(crate) fn is_parquet_embedding(path: &Path) -> bool {
    let file = open_file(path).and_then(|file| guarded(path, || SerializedFileReader::new(file)));
    file.is_ok_and(|file| names(&file).starts_with(&["id".to_owned(), "e0".to_owned()]))
}

/// Reads ids and numbers; double precision if any column has it.
pub(crate) fn read_parquet_embedding(path: &Path) -> Result<(Nodes, AnyTall), ReadError> {
    let file = open_file(path)?;
    let file = guarded(path, || SerializedFileReader::new(file))?;
    let names = names(&file);
    let wanted =
        (0..names.len()).map(|at| if at == 0 { "id".into() } else { format!("e{}", at - 1) });
    if names.len() < 2 || !names.iter().cloned().eq(wanted) {
        let found = format!("the columns {}", names[..names.len().min(5)].join(", "));
        return Err(bad(path, Place::File, found, EXPECTED));
    }
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    let wide = schema.columns().iter().any(|column| column.physical_type() == Type::DOUBLE);
    let mut ids: Vec<String> = Vec::new();
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len() - 1];
    for group in 0..file.num_row_groups() {
        for (at, name) in names.iter().enumerate() {
            let before = ids.len();
            let (ids, columns) = (&mut ids, &mut columns);
            let missing = guarded(path, || {
                let reader = file.get_row_group(group)?.get_column_reader(at)?;
                let optional = schema.column(at).max_def_level() > 0;
                column(reader, optional, at, ids, columns)
            })?;
            let complete = at == 0 || columns[at - 1].len() == ids.len();
            if missing || !complete {
                let place = Place::entry(format!("column {name}, rows from {before}"));
                return Err(bad(path, place, "a missing value", "one in every row"));
            }
        }
    }
    let numbers = match wide {
        true => AnyTall::F64(Tall::from_rows(ids.len(), columns.len(), |row, out: &mut [f64]| {
            out.iter_mut().zip(&columns).for_each(|(out, column)| *out = column[row]);
        })),
        false => AnyTall::F32(Tall::from_rows(ids.len(), columns.len(), |row, out: &mut [f32]| {
            out.iter_mut().zip(&columns).for_each(|(out, column)| *out = column[row] as f32);
        })),
    };
    let finite = columns.iter().flatten().all(|value| value.is_finite());
    if !finite {
        return Err(bad(path, Place::File, "NaN or infinity", "finite numbers"));
    }
    Ok((unique_nodes(path, ids)?, numbers))
}

/// Adds the values of one column of a group; tells whether any is missing.
fn column(
    reader: ColumnReader,
    optional: bool,
    at: usize,
    ids: &mut Vec<String>,
    columns: &mut [Vec<f64>],
) -> Result<bool, ParquetError> {
    let wrong = |what: &str| Err(ParquetError::General(format!("column {at} holds no {what}")));
    match (at, reader) {
        (0, reader @ ColumnReader::ByteArrayColumnReader(_)) => {
            let mut valid = true;
            let missing = values::<ByteArrayType>(reader, optional, |id| {
                let text = std::str::from_utf8(id.data());
                valid &= text.is_ok();
                ids.push(text.unwrap_or_default().to_owned());
            })?;
            if valid { Ok(missing) } else { wrong("UTF-8 text") }
        }
        (0, _) => wrong("text"),
        (at, reader @ ColumnReader::FloatColumnReader(_)) => {
            values::<FloatType>(reader, optional, |&value| columns[at - 1].push(f64::from(value)))
        }
        (at, reader @ ColumnReader::DoubleColumnReader(_)) => {
            values::<DoubleType>(reader, optional, |&value| columns[at - 1].push(value))
        }
        _ => wrong("fractions"),
    }
}

fn values<T: DataType>(
    reader: ColumnReader,
    optional: bool,
    mut each: impl FnMut(&T::T),
) -> Result<bool, ParquetError> {
    let mut reader: ColumnReaderImpl<T> = get_typed_column_reader(reader);
    let (mut values, mut levels, mut missing) = (Vec::new(), Vec::new(), false);
    loop {
        values.clear();
        levels.clear();
        let (records, _, _) = reader.read_records(BATCH, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Ok(missing);
        }
        missing |= optional && values.len() < records;
        values.iter().for_each(&mut each);
    }
}
