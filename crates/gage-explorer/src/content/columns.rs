//! Columns of attributes: what they are called, and which are meant by some words.

use gage_embed::Block;
use gage_embed::graph::ColumnKind;
use serde::Serialize;

use super::data::Data;

/// The name of a column.
pub(crate) fn column_name(block: &Block, column: usize) -> String {
    let named = block.columns.as_ref().and_then(|names| names.get(column));
    named.cloned().unwrap_or_else(|| format!("{} {}", block.name, column + 1))
}

/// The value of a cell as the table had it: numbers of a table were standardised.
pub(crate) fn original(block: &Block, column: usize, value: f64) -> f64 {
    let Some(encoding) = &block.encoding else { return value };
    let mut first = 0;
    for kind in encoding.columns.iter().filter_map(|column| column.kind.as_ref()) {
        if column == first
            && let ColumnKind::Number { mean, deviation, .. } = kind
        {
            return mean + deviation * value;
        }
        first += kind.width();
        if column < first {
            break;
        }
    }
    value
}

/// A column that can be coloured by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Column {
    pub(crate) block: String,
    pub(crate) column: usize,
    pub(crate) name: String,
    /// Rows with an entry.
    pub(crate) present: u32,
}

/// Columns whose names contain the words: those that begin with them first, then the more usual.
pub(crate) fn find_columns(data: &Data, words: &str, most: usize) -> Vec<Column> {
    let words = words.to_lowercase();
    let mut found: Vec<(bool, Column)> = Vec::new();
    for (block, statistics) in data.attributes() {
        for column in 0..block.matrix.cols() {
            let name = column_name(block, column);
            let lower = name.to_lowercase();
            if lower.contains(&words) {
                let present = statistics.present[column];
                let column = Column { block: block.name.clone(), column, name, present };
                found.push((!lower.starts_with(&words), column));
            }
        }
    }
    found.sort_by(|(a, x), (b, y)| {
        a.cmp(b).then(y.present.cmp(&x.present)).then(x.name.cmp(&y.name))
    });
    found.truncate(most);
    found.into_iter().map(|(_, column)| column).collect()
}
