//! What stands in for the Parquet reader in a build without it.

use std::path::Path;

use gage_core::Hint;

use crate::contents::{AttributeTable, LinkTable};
use crate::error::{Place, ReadError};
use crate::source::open;
use crate::table::options::TableOptions;

fn refuse<T>(path: &Path) -> Result<T, ReadError> {
    open(path, "a Parquet file")?;
    let expected = "a build with the feature `parquet`, or another format";
    Err(ReadError::unsupported(
        path,
        Place::File,
        "a Parquet file",
        expected,
        Hint::Feature("parquet"),
    ))
}

/// Reads links from a Parquet file; this build cannot, and says so.
pub fn read_parquet_edges(path: impl AsRef<Path>) -> Result<LinkTable, ReadError> {
    refuse(path.as_ref())
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
