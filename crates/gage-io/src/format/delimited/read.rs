//! Reads embeddings from comma- and tab-separated tables.

use std::io::{BufRead, BufReader};
use std::path::Path;

use gage_core::graph::Nodes;
use gage_linalg::{AnyTall, Tall};

use crate::error::{Place, ReadError};
use crate::format::embedding_error::{bad, content, unique_nodes, unreadable};

/// Numbers read from text: double precision only if some number needs it.
pub(crate) struct NumberRows {
    columns: usize,
    values: Vec<f64>,
    wide: bool,
}

impl NumberRows {
    pub(crate) fn new(columns: usize) -> NumberRows {
        NumberRows { columns, values: Vec::new(), wide: false }
    }

    /// Count of the numbers so far.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn push(&mut self, text: &str) -> Option<()> {
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
        let digits = mantissa.trim_start_matches(['-', '0', '.']).bytes();
        // Nine digits tell any two single-precision numbers apart.
        self.wide |= digits.filter(u8::is_ascii_digit).count() > 9;
        self.values.push(value);
        Some(())
    }

    pub(crate) fn finish(self) -> AnyTall {
        let rows = self.values.len() / self.columns.max(1);
        let cols = self.columns;
        match self.wide {
            true => AnyTall::F64(Tall::from_rows(rows, cols, |row, out| {
                out.copy_from_slice(&self.values[row * cols..(row + 1) * cols]);
            })),
            false => AnyTall::F32(Tall::from_rows(rows, cols, |row, out: &mut [f32]| {
                let own = &self.values[row * cols..(row + 1) * cols];
                out.iter_mut().zip(own).for_each(|(out, &value)| *out = value as f32);
            })),
        }
    }
}

/// One record of a table; quoted cells may hold separators, quotes and line ends.
fn record(
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
    separator: char,
) -> Option<std::io::Result<Vec<String>>> {
    let mut text = match lines.next()? {
        Ok(line) => line,
        Err(error) => return Some(Err(error)),
    };
    while text.matches('"').count() % 2 == 1 {
        match lines.next() {
            Some(Ok(more)) => {
                text.push('\n');
                text.push_str(&more);
            }
            _ => break,
        }
    }
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                cell.push('"');
                letters.next();
            }
            '"' => quoted = !quoted,
            _ if letter == separator && !quoted => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    cells.push(cell);
    Some(Ok(cells))
}

/// Reads a table with the header `id, e0, ...`.
pub(crate) fn read_table(path: &Path, separator: char) -> Result<(Nodes, AnyTall), ReadError> {
    let mut lines = BufReader::new(content(path)?).lines();
    let header =
        record(&mut lines, separator).transpose().map_err(|error| unreadable(path, error))?;
    let columns = header.map_or(0, |cells| cells.len().saturating_sub(1));
    let (mut ids, mut rows) = (Vec::new(), NumberRows::new(columns));
    while let Some(cells) = record(&mut lines, separator) {
        let cells = cells.map_err(|error| unreadable(path, error))?;
        let row = ids.len() + 1;
        let place = || Place::entry(format!("row {row}"));
        if cells.len() != columns + 1 {
            let expected = format!("{} as in the header", columns + 1);
            return Err(bad(path, place(), format!("{} cells", cells.len()), &expected));
        }
        for cell in &cells[1..] {
            rows.push(cell).ok_or_else(|| bad(path, place(), format!("`{cell}`"), "a number"))?;
        }
        ids.push(cells.into_iter().next().unwrap_or_default());
    }
    Ok((unique_nodes(path, ids)?, rows.finish()))
}
