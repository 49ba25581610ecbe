//! Writes embeddings as Parquet: a column `id` and one column of numbers per dimension.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, FloatType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use gage_linalg::{AnyTall, Precision};

use crate::contents::EmbeddingRef;

/// Whether this build writes Parquet.
pub(crate) const PARQUET_AVAILABLE: bool = true;

/// Rows that readers can take in parallel.
const ROWS: usize = 1 << 17;

/// Writes the whole file.
pub(crate) fn write_parquet(
    embedding: &EmbeddingRef<'_>,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    write(embedding, out).map_err(|error| match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(io) => *io,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    })
}

fn write(embedding: &EmbeddingRef<'_>, out: &mut (dyn Write + Send)) -> Result<(), ParquetError> {
    let (rows, columns) = (embedding.nodes.len(), embedding.values.cols());
    let number = match embedding.values.precision() {
        Precision::F32 => Physical::FLOAT,
        Precision::F64 => Physical::DOUBLE,
    };
    let id = Type::primitive_type_builder("id", Physical::BYTE_ARRAY)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::String))
        .build()?;
    let mut fields = vec![Arc::new(id)];
    for column in 0..columns {
        let field = Type::primitive_type_builder(&format!("e{column}"), number)
            .with_repetition(Repetition::REQUIRED)
            .build()?;
        fields.push(Arc::new(field));
    }
    let schema = Type::group_type_builder("embedding").with_fields(fields).build()?;
    // Coordinates hardly ever repeat, so dictionaries would only cost time.
    let properties = WriterProperties::builder().set_dictionary_enabled(false).build();
    let mut file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
    for start in (0..rows).step_by(ROWS) {
        let range = start..(start + ROWS).min(rows);
        let mut group = file.next_row_group()?;
        let ids: Vec<ByteArray> = range
            .clone()
            .map(|row| ByteArray::from(embedding.nodes.id(row).into_bytes()))
            .collect();
        if let Some(mut column) = group.next_column()? {
            column.typed::<ByteArrayType>().write_batch(&ids, None, None)?;
            column.close()?;
        }
        for at in 0..columns {
            let Some(mut column) = group.next_column()? else { break };
            match embedding.values {
                AnyTall::F32(tall) => {
                    let values: Vec<f32> = range.clone().map(|row| tall.row(row)[at]).collect();
                    column.typed::<FloatType>().write_batch(&values, None, None)?;
                }
                AnyTall::F64(tall) => {
                    let values: Vec<f64> = range.clone().map(|row| tall.row(row)[at]).collect();
                    column.typed::<DoubleType>().write_batch(&values, None, None)?;
                }
            }
            column.close()?;
        }
        group.close()?;
    }
    file.close()?;
    Ok(())
}
