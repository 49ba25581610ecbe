//! Attribute tables in text files.

use std::path::Path;

use crate::contents::AttributeTable;
use crate::error::{Origin, ReadError};
use crate::reading::{ColumnOptions, separator_name};
use crate::table::column_names::ID_NAMES;
use crate::table::encode::read_rows;
use crate::table::options::TableOptions;
use crate::table::rows::{EXPECTED, EachRow, Rows};
use crate::table::schema::{Header, TableSchema};
use crate::text::dialect::{
    Records, Sample, Separator, has_header, is_number, names_columns, sample,
};

struct TextRows<'a> {
    path: &'a Path,
    separator: Separator,
    header: bool,
}

impl Rows for TextRows<'_> {
    fn for_each(&self, each: &mut EachRow<'_>) -> Result<(), ReadError> {
        let mut skip = self.header;
        Records::open(self.path, self.separator, EXPECTED)?.for_each(self.path, |line, cells| {
            if std::mem::take(&mut skip) { Ok(()) } else { each(line, cells) }
        })
    }
}

/// Reads an attribute table (`.csv`, `.tsv`, `.txt`, perhaps `.gz` or `.zst`). The separator and a
/// header are recognised. The id is in the column called `id`, `node`, `key` or `name`, otherwise
/// in the first one; a table whose first column holds fractions has no ids. A column called `label`
/// becomes labels, not attributes.
///
/// Numbers are standardised (mean 0, variance 1), categories become one 0/1 column per value, and
/// free text one column per word, weighted by tf-idf. Empty cells are missing: NaN. Cost: two
/// passes over the file.
pub fn read_attribute_table(path: impl AsRef<Path>) -> Result<AttributeTable, ReadError> {
    let columns = &ColumnOptions::default();
    read_text_table(path.as_ref(), &TableOptions { columns, like: None })
}

pub(crate) fn read_text_table(
    path: &Path,
    options: &TableOptions<'_>,
) -> Result<AttributeTable, ReadError> {
    let Sample { separator, rows } = sample(path, EXPECTED)?;
    let header = match (options.columns.header, options.like) {
        (Some(said), _) => said,
        (None, None) => has_header(&rows, &ID_NAMES),
        // Few rows may not show that the first is a header, but names known from the fitted table
        // do.
        (None, Some(like)) => names_columns(&rows, &ID_NAMES, 1) || like.is_named_by(rows.first()),
    };
    let first = rows.first().cloned().unwrap_or_default();
    let names: Vec<String> = match header {
        true => first,
        false => (1..=first.len()).map(|column| format!("column {column}")).collect(),
    };
    let data = &rows[usize::from(header).min(rows.len())..];
    let fraction = |row: &Vec<String>| row.first().is_some_and(|c| is_number(c) && c.contains('.'));
    let fractions = !data.is_empty() && data.iter().all(fraction);
    let origin = Origin::from(path);
    let named = Header { names, named: header, separator: separator_name(separator), fractions };
    let schema = TableSchema::find(&origin, named, options)?;
    read_rows(&origin, &TextRows { path, separator, header }, schema, options.like)
}
