//! Parquet files.

mod embedding;
mod read;
mod write;

pub(crate) use embedding::{is_parquet_embedding, read_parquet_embedding};
pub(crate) use read::{parquet_edges, parquet_has_edges, parquet_table};
pub use read::{read_parquet_edges, read_parquet_table};
pub(crate) use write::{PARQUET_AVAILABLE, write_parquet};
