//! What is said when this build cannot write Parquet.

use std::io::{self, Write};

use super::Embedding;

/// Whether this build writes Parquet.
pub(crate) const AVAILABLE: bool = false;

/// Never reached: the format is refused before any work is done.
pub(crate) fn write_parquet(_: &Embedding<'_>, _: &mut (dyn Write + Send)) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
