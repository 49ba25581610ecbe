//! Errors that readers of embeddings share.

use std::io::{self, Read};
use std::path::Path;

use gage_core::graph::Nodes;
use gage_core::{Artifact, Hint};

use crate::error::{Place, ReadError};
use crate::node_ids::duplicate_id;
use crate::source::open;

/// The file is not what a writer of embeddings makes.
pub(crate) fn bad(
    path: &Path,
    place: Place,
    found: impl ToString,
    expected: impl Into<String>,
) -> ReadError {
    let hint = Hint::Expect(Artifact::Embedding);
    ReadError::malformed(path, place, found.to_string(), expected, hint)
}

/// The bytes of a file, or of a stream.
pub(crate) fn content(path: &Path) -> Result<Box<dyn Read + Send>, ReadError> {
    open(path, "an embedding")?.reader().map_err(|error| unreadable(path, error))
}

/// The system refused to read the file.
pub(crate) fn unreadable(path: &Path, error: io::Error) -> ReadError {
    ReadError::from_io(path, Place::File, error)
}

/// The nodes of the rows, which must differ.
pub(crate) fn unique_nodes<S: AsRef<str>>(
    path: &Path,
    ids: impl IntoIterator<Item = S>,
) -> Result<Nodes, ReadError> {
    let row = |row: u64| Place::entry(format!("row {row}"));
    Nodes::named(ids).map_err(|error| duplicate_id(path, error, row, 1))
}
