//! Parquet files.

mod read;

pub(crate) use read::{parquet_has_edges, parquet_table};
pub use read::{read_parquet_edges, read_parquet_table};
