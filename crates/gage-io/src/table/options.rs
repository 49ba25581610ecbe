//! How a table is to be read.

use gage_core::graph::TableEncoding;

use crate::reading::ColumnOptions;

/// How to read a table.
#[derive(Clone, Copy)]
pub(crate) struct TableOptions<'a> {
    /// what is said about its columns
    pub(crate) columns: &'a ColumnOptions,
    /// the encoding to follow; otherwise the table is encoded by itself
    pub(crate) like: Option<&'a TableEncoding>,
}
