//! Columns of an attribute table: what kind each is, and how its cells become numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::dialect::is_missing;
use super::error::{Place, ReadError};
use super::words::{Vocabulary, WordCounts};

/// Categories a column may have.
const MOST_CATEGORIES: usize = 1000;

/// What the cells of one column look like, so far.
pub(super) struct Profile {
    pub(super) name: String,
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
    pub(super) fn new(name: String) -> Profile {
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

    pub(super) fn add(&mut self, line: u64, cell: &str) {
        if is_missing(cell) {
            return;
        }
        self.present += 1;
        if self.distinct.len() <= MOST_CATEGORIES && !self.distinct.contains(cell) {
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
    pub(super) fn decide(self, path: &Path) -> Result<Result<Encoding, String>, ReadError> {
        let name = self.name;
        if self.present == 0 {
            return Ok(Err(format!("column `{name}` is empty")));
        }
        if self.numbers {
            if let Some((line, found)) = self.not_finite {
                let place = Place::Cell(line, name.into());
                let remedy = "replace it by a number, or leave the cell empty if it is missing";
                return Err(ReadError::not_finite(path, place, found, remedy));
            }
            let deviation = (self.spread / self.present as f64).sqrt();
            if self.distinct.len() == 1 {
                return Ok(Err(format!("column `{name}` has the same value everywhere")));
            }
            return Ok(Ok(Encoding::Number { name, mean: self.mean, deviation }));
        }
        let (count, single) = (self.distinct.len(), self.words.mean() < 1.5);
        if count == 1 {
            return Ok(Err(format!("column `{name}` has the same value everywhere")));
        }
        let repeats = count < self.present && (single || 2 * count <= self.present + 2);
        if count <= MOST_CATEGORIES && repeats {
            let values = self.distinct.into_iter().zip(0u32..).collect();
            return Ok(Ok(Encoding::Category { name, values }));
        }
        let vocabulary = self.words.vocabulary();
        if vocabulary.words.is_empty() {
            return Ok(Err(format!("column `{name}` has no value or word in common between rows")));
        }
        Ok(Ok(Encoding::Text { name, vocabulary }))
    }
}

/// How the cells of a column become numbers.
pub(super) enum Encoding {
    /// distance from the mean in standard deviations
    Number { name: String, mean: f64, deviation: f64 },
    /// one column per value, 1 where the cell has it
    Category { name: String, values: BTreeMap<String, u32> },
    /// one column per word
    Text { name: String, vocabulary: Vocabulary },
}

impl Encoding {
    /// Number of columns the cells take.
    pub(super) fn width(&self) -> usize {
        match self {
            Encoding::Number { .. } => 1,
            Encoding::Category { values, .. } => values.len(),
            Encoding::Text { vocabulary, .. } => vocabulary.words.len(),
        }
    }

    /// Names of these columns: `age`, `city=Berlin`, `notes:word`.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Encoding::Number { name, .. } => vec![name.clone()],
            Encoding::Category { name, values } => {
                values.keys().map(|value| format!("{name}={value}")).collect()
            }
            Encoding::Text { name, vocabulary } => {
                vocabulary.words.iter().map(|word| format!("{name}:{word}")).collect()
            }
        }
    }

    /// The numbers other than zero of a cell, or nothing if it is missing.
    pub(super) fn encode(&self, cell: &str) -> Option<Vec<(u32, f64)>> {
        if is_missing(cell) {
            return None;
        }
        Some(match self {
            Encoding::Number { mean, deviation, .. } => {
                vec![(0, (cell.parse::<f64>().unwrap_or(*mean) - mean) / deviation)]
            }
            Encoding::Category { values, .. } => {
                values.get(cell).map(|&at| (at, 1.0)).into_iter().collect()
            }
            Encoding::Text { vocabulary, .. } => vocabulary.encode(cell),
        })
    }
}
