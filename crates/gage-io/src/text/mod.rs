//! Text files: lines of any file, separators, quotes and headers.

pub(crate) mod dialect;
pub(crate) mod lines;
