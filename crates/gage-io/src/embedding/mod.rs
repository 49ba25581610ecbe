//! Embedding files: one table of formats, one reader, one writer.

mod format;
mod read;
mod write;

pub use format::{EmbeddingFormat, ids_path, row_files};
pub use read::{is_embedding_file, is_model_file, read_embedding};
pub use write::{EmbeddingWriter, parquet_of_ids};
