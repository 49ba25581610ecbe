//! Stands in for the Parquet readers and writer in a build without them.

use std::io::{self, Write};
use std::path::Path;

use gage_core::Hint;
use gage_core::graph::Nodes;
use gage_linalg::AnyTall;

use crate::contents::{AttributeTable, EmbeddingRef, LinkTable};
use crate::error::{Place, ReadError};
use crate::reading::ColumnOptions;
use crate::source::open;
use crate::table::options::TableOptions;

fn refuse<T>(path: &Path) -> Result<T, ReadError> {
    open(path, "a Parquet file")?;
    let expected = "a build with the feature `parquet`, or another format";
    let hint = Hint::Feature("parquet");
    Err(ReadError::unsupported(path, Place::File, "a Parquet file", expected, hint))
}

/// Reads links from a Parquet file; this build cannot, and says so.
pub fn read_parquet_edges(path: impl AsRef<Path>) -> Result<LinkTable, ReadError> {
    refuse(path.as_ref())
}

pub(crate) fn parquet_edges(path: &Path, _: &ColumnOptions) -> Result<LinkTable, ReadError> {
    refuse(path)
}

/// Reads an attribute table from a Parquet file; this build cannot, and says so.
pub fn read_parquet_table(path: impl AsRef<Path>) -> Result<AttributeTable, ReadError> {
    refuse(path.as_ref())
}

pub(crate) fn parquet_table(
    path: &Path,
    _: &TableOptions<'_>,
) -> Result<AttributeTable, ReadError> {
    refuse(path)
}

/// Whether a Parquet file holds links; this build cannot tell, and says so.
pub(crate) fn parquet_has_edges(path: &Path) -> Result<bool, ReadError> {
    refuse(path)
}

/// Whether a file has the columns of an embedding; this build cannot tell.
pub(crate) fn is_parquet_embedding(_: &Path) -> bool {
    false
}

/// Reads an embedding; this build cannot, and says so.
pub(crate) fn read_parquet_embedding(path: &Path) -> Result<(Nodes, AnyTall), ReadError> {
    refuse(path)
}

/// Whether this build writes Parquet.
pub(crate) const PARQUET_AVAILABLE: bool = false;

/// Never called: the format is refused before any work is done.
pub(crate) fn write_parquet(_: &EmbeddingRef<'_>, _: &mut (dyn Write + Send)) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
