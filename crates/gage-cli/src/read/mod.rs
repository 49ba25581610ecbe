//! Files in that are the command's own: embeddings. Data sets and models are read by the library.

mod embedding;
#[cfg_attr(feature = "parquet", path = "parquet_enabled.rs")]
#[cfg_attr(not(feature = "parquet"), path = "parquet_disabled.rs")]
mod parquet_file;
mod text;

pub(crate) use embedding::{is_embedding, is_model, read_embedding};
