//! How a table is to be read.

use gage_core::graph::TableEncoding;

/// Which column of an attribute table (text or Parquet) holds the ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IdColumn {
    /// The one called `id`, `node`, `key`, `name` or the like, otherwise the first.
    #[default]
    Auto,
    /// The one of this name.
    Named(String),
    /// None: the rows are in the order of the nodes.
    None,
}

/// How to read a table.
#[derive(Clone, Copy, Default)]
pub(crate) struct TableOptions<'a> {
    /// where the ids are
    pub(crate) ids: Option<&'a IdColumn>,
    /// the encoding to follow; otherwise the table is encoded by itself
    pub(crate) like: Option<&'a TableEncoding>,
}
