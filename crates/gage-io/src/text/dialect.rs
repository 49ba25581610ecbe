//! Text tables: which separator, whether a header, and how a line splits into cells.

use std::borrow::Cow;
use std::path::Path;

use crate::error::{Place, ReadError, excerpt};
use crate::table::column_names::known_name;
use crate::text::lines::{Lines, MAX_LINE_BYTES};

/// What stands between two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// one byte; blanks around it belong to neither cell
    Byte(u8),
    /// any run of spaces and tabs
    Blanks,
    /// nothing: a single column
    None,
}

/// Lines looked at before deciding.
const SAMPLE_LINES: usize = 200;
const SAMPLE_BYTES: usize = 1 << 18;

/// The first lines of a table, comments and empty lines left out.
pub(crate) struct Sample {
    pub(crate) separator: Separator,
    pub(crate) rows: Vec<Vec<String>>,
}

/// Whether a line carries no row.
pub(crate) fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#') || line.starts_with('%')
}

/// Reads the beginning of a table and finds its separator.
pub(crate) fn sample(path: &Path, expected: &str) -> Result<Sample, ReadError> {
    let mut lines = Lines::open(path, expected)?;
    let (mut texts, mut bytes): (Vec<String>, usize) = (Vec::new(), 0);
    while texts.len() < SAMPLE_LINES && bytes < SAMPLE_BYTES {
        let Some(line) = lines.next()? else { break };
        if !is_comment(line) {
            bytes += line.len();
            texts.push(line.to_owned());
        }
    }
    if texts.is_empty() {
        return Err(ReadError::empty(path, expected));
    }
    let separator = find_separator(&texts);
    Ok(Sample { separator, rows: rows_of(&texts, separator) })
}

/// Sampled lines that one quoted cell may span.
const QUOTED_LINES: usize = 50;

/// The rows that lines make with a separator; quoted cells may span lines. A row that does not end
/// tells nothing.
fn rows_of(lines: &[String], separator: Separator) -> Vec<Vec<String>> {
    let mut rows = Vec::with_capacity(lines.len());
    let mut at = 0;
    while at < lines.len() {
        let mut text = lines[at].clone();
        let mut cells = Vec::new();
        let last = (at + QUOTED_LINES).min(lines.len()) - 1;
        let mut end = at;
        let mut whole = split(&text, separator, &mut cells);
        while !whole && end < last {
            end += 1;
            drop(std::mem::take(&mut cells));
            text = text + "\n" + &lines[end];
            cells = Vec::new();
            whole = split(&text, separator, &mut cells);
        }
        if whole {
            rows.push(cells.into_iter().map(Cow::into_owned).collect());
        }
        at = if whole { end + 1 } else { at + 1 };
    }
    rows
}

/// The separator that cuts most rows into one and the same number of cells, two at least; or else
/// one that cuts every row, so that the row of another length is found.
fn find_separator(lines: &[String]) -> Separator {
    let candidates = [
        Separator::Byte(b'\t'),
        Separator::Byte(b','),
        Separator::Byte(b';'),
        Separator::Byte(b'|'),
        Separator::Blanks,
    ];
    let mut best = (0, Separator::None);
    let mut cuts_all = None;
    for separator in candidates {
        let mut widths: Vec<usize> = rows_of(lines, separator).iter().map(Vec::len).collect();
        let rows = widths.len();
        widths.sort_unstable();
        let runs = widths.chunk_by(|a, b| a == b).filter(|run| run[0] > 1);
        let agreeing = runs.map(<[usize]>::len).max().unwrap_or(0);
        // Blanks also stand inside cells, so they must agree on nearly every line.
        let enough = match separator {
            Separator::Blanks => 10 * agreeing >= 9 * rows,
            _ => 2 * agreeing > rows,
        };
        if enough && agreeing > best.0 {
            best = (agreeing, separator);
        }
        if separator != Separator::Blanks && widths.first().is_some_and(|&least| least > 1) {
            cuts_all.get_or_insert(separator);
        }
    }
    match (best, cuts_all) {
        ((0, _), Some(separator)) => separator,
        ((_, separator), _) => separator,
    }
}

/// Splits a line into cells; false when a quoted cell does not end on it.
pub(crate) fn split<'a>(
    line: &'a str,
    separator: Separator,
    cells: &mut Vec<Cow<'a, str>>,
) -> bool {
    cells.clear();
    let is_separator = |byte: u8| match separator {
        Separator::Byte(separator) => byte == separator,
        Separator::Blanks => byte == b' ' || byte == b'\t',
        Separator::None => false,
    };
    let mut rest = line;
    loop {
        rest = match separator {
            Separator::Byte(b'\t') => rest.trim_start_matches(' '),
            _ => rest.trim_start_matches([' ', '\t']),
        };
        if separator == Separator::Blanks && rest.is_empty() {
            return true;
        }
        if rest.starts_with('"') {
            let Some((cell, after)) = quoted(rest) else { return false };
            cells.push(cell);
            let end = after.bytes().position(is_separator).unwrap_or(after.len());
            rest = &after[end..];
        } else {
            let end = rest.bytes().position(is_separator).unwrap_or(rest.len());
            cells.push(Cow::Borrowed(rest[..end].trim_end()));
            rest = &rest[end..];
        }
        if rest.is_empty() {
            return true;
        }
        rest = &rest[1..];
    }
}

/// A cell in double quotes, in which a doubled quote stands for one, and what follows it.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let body = &text[1..];
    let mut end = body.find('"')?;
    if !body[end + 1..].starts_with('"') {
        return Some((Cow::Borrowed(&body[..end]), &body[end + 1..]));
    }
    let mut cell = String::new();
    let mut from = 0;
    loop {
        cell.push_str(&body[from..end]);
        if !body[end + 1..].starts_with('"') {
            return Some((Cow::Owned(cell), &body[end + 1..]));
        }
        cell.push('"');
        from = end + 2;
        end = from + body[from..].find('"')?;
    }
}

/// Reads the rows of a table one by one; a quoted cell may span lines.
pub(crate) struct Records {
    lines: Lines,
    separator: Separator,
    text: String,
    /// line on which the current row begins
    line: u64,
}

impl Records {
    pub(crate) fn open(
        path: &Path,
        separator: Separator,
        expected: &str,
    ) -> Result<Records, ReadError> {
        let lines = Lines::open(path, expected)?;
        Ok(Records { lines, separator, text: String::new(), line: 0 })
    }

    /// Calls `each` with the line number and the cells of every row; comments and empty lines are
    /// left out.
    pub(crate) fn for_each(
        mut self,
        path: &Path,
        mut each: impl FnMut(u64, &[Cow<'_, str>]) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        loop {
            let Some(line) = self.lines.next()? else { return Ok(()) };
            if is_comment(line) {
                continue;
            }
            self.text.clear();
            self.text.push_str(line);
            self.line = self.lines.line();
            loop {
                let mut cells = Vec::new();
                if split(&self.text, self.separator, &mut cells) {
                    each(self.line, &cells)?;
                    break;
                }
                let more = self.lines.next()?.filter(|_| self.text.len() <= MAX_LINE_BYTES);
                let Some(more) = more else {
                    let found =
                        format!("a quote that never closes in {}", excerpt(self.text.as_bytes()));
                    let remedy = "close the quote, or double it if it belongs to the text";
                    let place = Place::Line(self.line);
                    return Err(ReadError::malformed(
                        path,
                        place,
                        found,
                        "a closing quote",
                        remedy,
                    ));
                };
                self.text.push('\n');
                self.text.push_str(more);
            }
        }
    }
}

/// Whether a cell says that nothing is known.
pub(crate) fn is_missing(cell: &str) -> bool {
    const MISSING: [&str; 11] =
        ["", "na", "n/a", "nan", "null", "none", "?", "#n/a", "#na", "<na>", "\\n"];
    // Most cells are recognised by their first byte: numbers and long words.
    let first = cell.bytes().next();
    cell.len() <= 4
        && !first.is_some_and(|byte| byte.is_ascii_digit() || byte == b'-')
        && MISSING.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// Whether a cell holds a number.
pub(crate) fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}

/// Whether the cells of a row may be names of columns. The first may be empty: so pandas writes the
/// numbers or names of rows.
pub(crate) fn may_name_columns(cells: &[String]) -> bool {
    let mut cells = cells.iter().enumerate();
    cells.all(|(at, cell)| !is_number(cell) && (!is_missing(cell) || at == 0 && cell.is_empty()))
}

/// Whether a column has no name, or the one that pandas gives to row numbers it has read.
pub(crate) fn may_count_rows(name: &str) -> bool {
    name.is_empty() || name.starts_with("Unnamed: ")
}

/// Cells that count the rows from 0 or 1, so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct RowNumbers {
    next: Option<usize>,
}

impl RowNumbers {
    /// With one more cell; nothing if it is not the next number.
    pub(crate) fn followed_by(self, cell: &str) -> Option<RowNumbers> {
        let number: usize = cell.parse().ok()?;
        let expected = match self.next {
            Some(next) => number == next,
            None => number < 2,
        };
        expected.then(|| RowNumbers { next: number.checked_add(1) })
    }
}

/// Whether the first row surely names the columns: it holds `enough` of the `known` names, or names
/// columns of which one is otherwise all numbers.
pub(crate) fn names_columns(rows: &[Vec<String>], known: &[&str], enough: usize) -> bool {
    let Some((first, rest)) = rows.split_first() else { return false };
    let is_known = |cell: &&String| known.contains(&known_name(cell).as_str());
    if first.iter().filter(is_known).count() >= enough {
        return true;
    }
    if rest.is_empty() || !may_name_columns(first) {
        return false;
    }
    (0..first.len()).any(|col| {
        let below = rest.iter().filter_map(|row| row.get(col));
        let mut present = below.filter(|cell| !is_missing(cell)).peekable();
        present.peek().is_some() && present.all(|cell| is_number(cell))
    })
}

/// Whether the first row names the columns, surely or by appearance: no cell of it comes again
/// below it.
pub(crate) fn has_header(rows: &[Vec<String>], known: &[&str]) -> bool {
    if names_columns(rows, known, 1) {
        return true;
    }
    let Some((first, rest)) = rows.split_first() else { return false };
    let plain = may_name_columns(first);
    let recurs = |col: usize| rest.iter().any(|row| row.get(col) == Some(&first[col]));
    plain && rest.len() >= 2 && first.len() > 1 && !(0..first.len()).any(recurs)
}
