//! Files in that are the command's own: embeddings. Data sets and models are read by the library.

mod embedding;
mod text;

pub(crate) use embedding::{is_embedding, read_embedding};
