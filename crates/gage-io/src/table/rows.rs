//! Rows of cells that are read twice.

use std::borrow::Cow;

use crate::error::ReadError;

pub(crate) const EXPECTED: &str = "an attribute table: an id and attributes in each row";

/// What is done with the line (or row) number and the cells of a row.
pub(crate) type EachRow<'a> = dyn FnMut(u64, &[Cow<'_, str>]) -> Result<(), ReadError> + 'a;

/// Rows of cells that can be read twice.
pub(crate) trait Rows {
    /// Calls `each` for every row.
    fn for_each(&self, each: &mut EachRow<'_>) -> Result<(), ReadError>;
}
