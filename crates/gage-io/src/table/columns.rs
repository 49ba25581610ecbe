//! How the cells of the columns of an attribute table become numbers.

use std::collections::HashMap;

use gage_core::graph::{ColumnKind, DateOrder, NumberFormat};

use crate::table::cells::{parse_boolean, parse_date, parse_number};
use crate::table::vocabulary::Vocabulary;
use crate::text::dialect::is_missing;

/// What became of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoded {
    /// it says nothing
    Missing,
    /// its numbers were added; so many values or words of it are not among those of the column
    Added { unknown: usize },
    /// it is not what all cells of the column are: numbers, dates, yes or no
    Unreadable { expected: &'static str },
}

/// Turns the cells of a column into numbers.
pub(crate) enum Encoder<'a> {
    Number { mean: f64, deviation: f64, format: NumberFormat },
    Date { mean: f64, deviation: f64, order: DateOrder },
    Boolean,
    Category(HashMap<&'a str, u32>),
    Text(Vocabulary<'a>),
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(kind: &'a ColumnKind) -> Encoder<'a> {
        match kind {
            ColumnKind::Number { mean, deviation, format } => {
                Encoder::Number { mean: *mean, deviation: *deviation, format: *format }
            }
            ColumnKind::Date { mean, deviation, order } => {
                Encoder::Date { mean: *mean, deviation: *deviation, order: *order }
            }
            ColumnKind::Boolean => Encoder::Boolean,
            ColumnKind::Category { values } => {
                Encoder::Category(values.iter().map(String::as_str).zip(0u32..).collect())
            }
            ColumnKind::Text { texts, words } => Encoder::Text(Vocabulary::new(*texts, words)),
        }
    }

    /// Adds the numbers other than zero of a cell, in columns from `start` on.
    pub(crate) fn encode(&self, cell: &str, start: u32, out: &mut Vec<(u32, f64)>) -> Encoded {
        // In a text, `NA` is a word.
        let is_text = matches!(self, Encoder::Text(_));
        if cell.is_empty() || (!is_text && is_missing(cell)) {
            return Encoded::Missing;
        }
        let unknown = match self {
            Encoder::Number { mean, deviation, format } => {
                let plain = || parse_number(cell, NumberFormat::Plain);
                let number = match format {
                    NumberFormat::Grouped => plain().or_else(|| parse_number(cell, *format)),
                    format => parse_number(cell, *format),
                };
                let Some(number) = number.filter(|number| number.is_finite()) else {
                    return Encoded::Unreadable { expected: "a number" };
                };
                out.push((start, (number - mean) / deviation));
                0
            }
            Encoder::Date { mean, deviation, order } => {
                let Some(days) = parse_date(cell, *order) else {
                    return Encoded::Unreadable { expected: "a date" };
                };
                out.push((start, (days - mean) / deviation));
                0
            }
            Encoder::Boolean => {
                let Some(yes) = parse_boolean(cell) else {
                    return Encoded::Unreadable { expected: "yes or no" };
                };
                out.push((start + u32::from(yes), 1.0));
                0
            }
            Encoder::Category(values) => match values.get(cell) {
                Some(&at) => {
                    out.push((start + at, 1.0));
                    0
                }
                None => 1,
            },
            Encoder::Text(vocabulary) => vocabulary.encode(cell, start, out),
        };
        Encoded::Added { unknown }
    }
}
