//! Embeddings read back from text: tables and word2vec.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use gage_embed::{AnyTall, Nodes, Tall};

use super::embedding::{bad, io};

/// Nodes and columns, as the first line of word2vec says.
pub(super) fn word2vec_sizes(header: &str) -> Option<(usize, usize)> {
    let (rows, columns) = header.trim_end().split_once(' ')?;
    Some((rows.parse().ok()?, columns.parse().ok()?))
}

/// Numbers read from text: double precision only if some number needs it.
struct Rows {
    columns: usize,
    values: Vec<f64>,
    wide: bool,
}

impl Rows {
    fn push(&mut self, text: &str) -> Option<()> {
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
        let digits = mantissa.trim_start_matches(['-', '0', '.']).bytes();
        // Nine digits tell any two single-precision numbers apart.
        self.wide |= digits.filter(u8::is_ascii_digit).count() > 9;
        self.values.push(value);
        Some(())
    }

    fn finish(self) -> AnyTall {
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
pub(super) fn table(path: &Path, separator: char) -> anyhow::Result<(Nodes, AnyTall)> {
    let file = File::open(path).map_err(|error| io(path, &error))?;
    let mut lines = BufReader::new(file).lines();
    let header = record(&mut lines, separator).transpose().map_err(|error| io(path, &error))?;
    let columns = header.map_or(0, |cells| cells.len().saturating_sub(1));
    let (mut ids, mut rows) = (Vec::new(), Rows { columns, values: Vec::new(), wide: false });
    while let Some(cells) = record(&mut lines, separator) {
        let cells = cells.map_err(|error| io(path, &error))?;
        let place = format!("row {}", ids.len() + 1);
        if cells.len() != columns + 1 {
            let expected = format!("{} as in the header", columns + 1);
            return Err(bad(path, &place, format!("{} cells", cells.len()), &expected));
        }
        for cell in &cells[1..] {
            rows.push(cell).ok_or_else(|| bad(path, &place, format!("`{cell}`"), "a number"))?;
        }
        ids.push(cells.into_iter().next().unwrap_or_default());
    }
    Ok((Nodes::named(ids)?, rows.finish()))
}

/// Reads word2vec text.
pub(super) fn word2vec(path: &Path) -> anyhow::Result<(Nodes, AnyTall)> {
    let file = File::open(path).map_err(|error| io(path, &error))?;
    let mut lines = BufReader::new(file).lines();
    let header = lines.next().transpose().map_err(|error| io(path, &error))?.unwrap_or_default();
    let Some((count, columns)) = word2vec_sizes(&header) else {
        return Err(bad(path, "line 1", format!("`{header}`"), "`nodes columns`"));
    };
    let (mut ids, mut rows) = (Vec::new(), Rows { columns, values: Vec::new(), wide: false });
    for line in lines {
        let line = line.map_err(|error| io(path, &error))?;
        let place = format!("line {}", ids.len() + 2);
        let mut cells = line.trim_end().split(' ');
        ids.push(cells.next().unwrap_or_default().to_owned());
        let before = rows.values.len();
        for cell in cells {
            rows.push(cell).ok_or_else(|| bad(path, &place, format!("`{cell}`"), "a number"))?;
        }
        let found = rows.values.len() - before;
        if found != columns {
            let expected = format!("{columns} as line 1 says");
            return Err(bad(path, &place, format!("{found} numbers"), &expected));
        }
    }
    if ids.len() != count {
        let expected = format!("{count} as line 1 says");
        return Err(bad(path, "whole file", format!("{} rows", ids.len()), &expected));
    }
    Ok((Nodes::named(ids)?, rows.finish()))
}
