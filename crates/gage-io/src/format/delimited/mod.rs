//! Embeddings as comma- and tab-separated tables.

pub(crate) mod read;
pub(crate) mod write;
