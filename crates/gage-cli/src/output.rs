//! The only place that writes to standard output and standard error.

use std::cell::{Ref, RefCell};
use std::io::{self, Write};
use std::rc::Rc;

use serde::Serialize;

use gage_embed::io::{Reading, WriteError};

/// The name and version of what `--json` prints: `docs/gage-output.schema.json` describes it.
pub(crate) const SCHEMA: &str = "gage-output-1";

/// Where results, summaries and remarks go.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    command: Option<String>,
    remarks: Rc<RefCell<Remarks>>,
}

/// What was remarked so far.
#[derive(Clone, Debug, Default, Serialize)]
struct Remarks {
    notes: Vec<String>,
    warnings: Vec<String>,
    readings: Vec<Reading>,
}

/// What every document of `--json` has, and what its command adds.
#[derive(Serialize)]
struct Envelope<'a, R> {
    schema: &'static str,
    command: Option<&'a str>,
    outputs: &'a [String],
    #[serde(flatten)]
    remarks: &'a Remarks,
    #[serde(flatten)]
    result: R,
}

impl Output {
    /// `command` is its name with that of its subcommand, if there is one at all.
    pub(crate) fn new(json: bool, quiet: bool, command: Option<String>) -> Output {
        Output { json, quiet, command, remarks: Rc::default() }
    }

    /// Whether results are printed as JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints what the command was run for: as JSON with the files it wrote, or as text. Not
    /// silenced by `--quiet`.
    pub(crate) fn result(
        &self,
        outputs: &[String],
        value: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        if !self.json {
            return to_stdout(text().as_bytes());
        }
        let mut json = serde_json::to_vec_pretty(&self.envelope(outputs, value, &self.told()))?;
        json.push(b'\n');
        to_stdout(&json)
    }

    /// Prints what was done by a command whose result is a file. `--quiet` silences the text, not
    /// the JSON.
    pub(crate) fn summary(
        &self,
        outputs: &[String],
        value: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        if self.quiet && !self.json {
            return Ok(());
        }
        self.result(outputs, value, text)
    }

    /// A failure as one line of JSON, with what was remarked before it.
    pub(crate) fn failure(&self, failure: &impl Serialize) -> serde_json::Result<String> {
        serde_json::to_string(&self.envelope(&[], failure, &self.told()))
    }

    fn told(&self) -> Ref<'_, Remarks> {
        self.remarks.borrow()
    }

    fn envelope<'a, R>(
        &'a self,
        outputs: &'a [String],
        result: R,
        remarks: &'a Remarks,
    ) -> Envelope<'a, R> {
        Envelope { schema: SCHEMA, command: self.command.as_deref(), outputs, remarks, result }
    }

    /// Prints part of a text at once, for commands that tell what they do as they go. Silenced by
    /// `--quiet` and by `--json`, which prints one object at the end instead.
    pub(crate) fn tell(&self, text: &str) -> anyhow::Result<()> {
        if self.quiet || self.json { Ok(()) } else { to_stdout(text.as_bytes()) }
    }

    /// What was taken as what in tables: a line for each, or as part of the JSON.
    pub(crate) fn readings(&self, readings: &[Reading]) {
        self.remark("note", &readings.iter().map(Reading::to_string).collect::<Vec<_>>());
        self.remarks.borrow_mut().readings.extend_from_slice(readings);
    }

    /// Notes on how input was understood: on standard error, or as part of the JSON.
    pub(crate) fn notes(&self, notes: &[String]) {
        self.remark("note", notes);
        self.remarks.borrow_mut().notes.extend_from_slice(notes);
    }

    /// As [`notes`](Self::notes), for what may be a mistake.
    pub(crate) fn warnings(&self, warnings: &[String]) {
        self.remark("warning", warnings);
        self.remarks.borrow_mut().warnings.extend_from_slice(warnings);
    }

    fn remark(&self, kind: &str, remarks: &[String]) {
        if self.quiet || self.json {
            return;
        }
        let mut err = io::stderr().lock();
        for remark in remarks {
            // A remark that cannot be shown must not stop the work.
            let _ = writeln!(err, "{kind}: {remark}");
        }
    }
}

/// Writes to standard output. A reader that has seen enough (`| head`) is not a failure.
pub(crate) fn to_stdout(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => Ok(outcome.map_err(WriteError::Stdout)?),
    }
}

/// Rows of text in columns that line up; the first column is flush left, the others flush right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
            match column {
                0 => line.push_str(&format!("  {cell}{pad}")),
                _ => line.push_str(&format!("  {pad}{cell}")),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A number of bytes for people.
pub(crate) fn bytes(count: usize) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{count} B") } else { format!("{value:.1} {}", units[unit]) }
}

/// A count with its thousands set apart by spaces.
pub(crate) fn count(value: usize) -> String {
    grouped(value, ' ')
}

/// A count with its thousands set apart by commas.
pub(crate) fn with_commas(value: usize) -> String {
    grouped(value, ',')
}

fn grouped(value: usize, separator: char) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(count(7), "7");
        assert_eq!(count(1_234_567), "1 234 567");
        assert_eq!([0, 999, 1000].map(with_commas), ["0", "999", "1,000"]);
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_500_000), "1.5 MB");
    }

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["a".into(), "10".into()], vec!["bcd".into(), "5".into()]];
        assert_eq!(table(&rows), "  a    10\n  bcd   5\n");
    }
}
