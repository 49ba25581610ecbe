//! Columns of an attribute table: what kind each is, and how its cells become numbers.

use std::collections::{BTreeSet, HashMap};

use gage_core::graph::ColumnKind;

use crate::error::{Origin, Place, ReadError};
use crate::table::vocabulary::{Vocabulary, WordCounts};
use crate::text::dialect::is_missing;

/// Categories a column may have.
const MAX_CATEGORIES: usize = 1000;

/// What the cells of one column look like, so far.
pub(crate) struct Profile {
    pub(crate) name: String,
    present: usize,
    numbers: bool,
    not_finite: Option<(u64, String)>,
    mean: f64,
    spread: f64,
    /// distinct values, up to one more than a category column may have
    distinct: BTreeSet<String>,
    words: WordCounts,
}

impl Profile {
    pub(crate) fn new(name: String) -> Profile {
        Profile {
            name,
            present: 0,
            numbers: true,
            not_finite: None,
            mean: 0.0,
            spread: 0.0,
            distinct: BTreeSet::new(),
            words: WordCounts::default(),
        }
    }

    pub(crate) fn add(&mut self, line: u64, cell: &str) {
        if is_missing(cell) {
            return;
        }
        self.present += 1;
        if self.distinct.len() <= MAX_CATEGORIES && !self.distinct.contains(cell) {
            self.distinct.insert(cell.to_owned());
        }
        match cell.parse::<f64>() {
            Ok(number) if number.is_finite() => {
                let off = number - self.mean;
                self.mean += off / self.present as f64;
                self.spread += off * (number - self.mean);
            }
            Ok(number) => {
                self.not_finite.get_or_insert((line, number.to_string()));
            }
            Err(_) => self.numbers = false,
        }
        if !self.numbers {
            self.words.add(cell);
        }
    }

    /// How the column is to be encoded; `Err` holds why it is left out.
    pub(crate) fn decide(self, origin: &Origin) -> Result<Result<ColumnKind, String>, ReadError> {
        let name = self.name;
        if self.present == 0 {
            return Ok(Err(format!("column `{name}` is empty")));
        }
        if self.numbers {
            if let Some((line, found)) = self.not_finite {
                let place = Place::Cell(line, name.into());
                let remedy = "replace it by a number, or leave the cell empty if it is missing";
                return Err(ReadError::not_finite(origin, place, found, remedy));
            }
            let deviation = (self.spread / self.present as f64).sqrt();
            if self.distinct.len() == 1 {
                return Ok(Err(format!("column `{name}` has the same value everywhere")));
            }
            return Ok(Ok(ColumnKind::Number { mean: self.mean, deviation }));
        }
        let (count, single) = (self.distinct.len(), self.words.mean() < 1.5);
        if count == 1 {
            return Ok(Err(format!("column `{name}` has the same value everywhere")));
        }
        let repeats = count < self.present && (single || 2 * count <= self.present + 2);
        if count <= MAX_CATEGORIES && repeats {
            let values = self.distinct.into_iter().collect();
            return Ok(Ok(ColumnKind::Category { values }));
        }
        let (texts, words) = self.words.vocabulary();
        if words.is_empty() {
            return Ok(Err(format!("column `{name}` has no value or word in common between rows")));
        }
        Ok(Ok(ColumnKind::Text { texts, words }))
    }
}

/// What became of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoded {
    /// it says nothing
    Missing,
    /// its numbers were added; so many values or words of it are not among those of the column
    Added { unknown: usize },
    /// it is no finite number, in a column of numbers
    NotANumber,
}

/// Turns the cells of a column into numbers.
pub(crate) enum Encoder<'a> {
    Number { mean: f64, deviation: f64 },
    Category(HashMap<&'a str, u32>),
    Text(Vocabulary<'a>),
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(kind: &'a ColumnKind) -> Encoder<'a> {
        match kind {
            ColumnKind::Number { mean, deviation } => {
                Encoder::Number { mean: *mean, deviation: *deviation }
            }
            ColumnKind::Category { values } => {
                Encoder::Category(values.iter().map(String::as_str).zip(0u32..).collect())
            }
            ColumnKind::Text { texts, words } => Encoder::Text(Vocabulary::new(*texts, words)),
        }
    }

    /// Adds the numbers other than zero of a cell, in columns from `start` on.
    pub(crate) fn encode(&self, cell: &str, start: u32, out: &mut Vec<(u32, f64)>) -> Encoded {
        if is_missing(cell) {
            return Encoded::Missing;
        }
        let unknown = match self {
            Encoder::Number { mean, deviation } => match cell.parse::<f64>() {
                Ok(number) if number.is_finite() => {
                    out.push((start, (number - mean) / deviation));
                    0
                }
                _ => return Encoded::NotANumber,
            },
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
