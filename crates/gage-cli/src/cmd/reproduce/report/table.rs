//! A table of the report.

use gage_embed::eval::Spread;
use serde::Serialize;

use crate::output::with_commas;

/// What the numbers of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Whole numbers; none is better.
    Counts,
    /// Scores between 0 and 1; high is good.
    Scores,
    /// Seconds; low is good.
    Seconds,
}

/// The source of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The paper.
    Published,
    /// This run.
    Ours,
    /// Another method, in this run.
    #[serde(rename = "rival")]
    Baseline,
    /// Computed from other rows.
    Derived,
}

/// A number in a table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// The (mean) value.
    pub value: f64,
    /// Its standard deviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// Whether it is the best of its column.
    pub best: bool,
    /// Whether it is ours and at or above the best published of its column.
    pub at_or_above_published: bool,
}

impl Cell {
    /// A number.
    pub fn of(value: f64) -> Cell {
        Cell { value, deviation: None, best: false, at_or_above_published: false }
    }

    /// A mean and a deviation, if there are both.
    pub(super) fn published(mean: Option<f64>, deviation: Option<f64>) -> Option<Cell> {
        Some(Cell { deviation, ..Cell::of(mean?) })
    }
}

impl From<Spread> for Cell {
    fn from(spread: Spread) -> Cell {
        Cell { deviation: Some(spread.deviation), ..Cell::of(spread.mean) }
    }
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name.
    pub name: String,
    /// Its source.
    pub source: Source,
    /// One cell per column; `None` where there is no number.
    pub cells: Vec<Option<Cell>>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Short name.
    pub id: String,
    /// Heading.
    pub title: String,
    /// What to know when reading it; may be empty.
    pub note: String,
    /// What the numbers are.
    pub style: Style,
    /// Text of a cell without a number.
    pub absent: &'static str,
    /// Headings of the columns.
    pub columns: Vec<String>,
    /// Rows.
    pub rows: Vec<Row>,
}

/// A score to the digits that are printed.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1e4).round()
}

impl Table {
    /// Marks the best of every column, and our cells that reach the best published ones.
    pub(super) fn marked(mut self) -> Table {
        for column in 0..self.columns.len() {
            let style = self.style;
            let better = |a: f64, b: f64| match style {
                Style::Counts => false,
                Style::Scores => rounded(a) >= rounded(b),
                Style::Seconds => a <= b,
            };
            let best = |published_only: bool| {
                let rows = self.rows.iter().filter(|row| match row.source {
                    Source::Published => true,
                    Source::Ours | Source::Baseline => !published_only,
                    Source::Derived => false,
                });
                let values = rows.filter_map(|row| Some((*row.cells.get(column)?)?.value));
                values.reduce(|best, next| if better(next, best) { next } else { best })
            };
            let (best_of_all, best_published) = (best(false), best(true));
            for row in self.rows.iter_mut().filter(|row| row.source != Source::Derived) {
                let Some(Some(cell)) = row.cells.get_mut(column) else { continue };
                cell.best = best_of_all.is_some_and(|best| better(cell.value, best));
                cell.at_or_above_published = row.source == Source::Ours
                    && best_published.is_some_and(|best| better(cell.value, best));
            }
        }
        self
    }

    /// A cell as text, without marks.
    pub(super) fn text(&self, cell: Option<Cell>, source: Source) -> String {
        let Some(cell) = cell else { return self.absent.to_owned() };
        match (self.style, cell.deviation) {
            (Style::Counts, _) => with_commas(cell.value as usize),
            (Style::Seconds, _) => match cell.value < 10.0 && source == Source::Ours {
                true => format!("{:.2}", cell.value),
                false => format!("{:.1}", cell.value),
            },
            (Style::Scores, Some(deviation)) => format!("{:.4} ± {deviation:.4}", cell.value),
            (Style::Scores, None) if source == Source::Derived => format!("{:+.4}", cell.value),
            (Style::Scores, None) => format!("{:.4}", cell.value),
        }
    }
}

/// The row name of a preset of ours.
pub(super) fn ours(preset: &str) -> String {
    format!("gage {preset}")
}

/// The row name of a method of the paper that was run here.
pub(super) fn measured(published: &str) -> String {
    format!("{published}, run here")
}

/// Names of columns as text.
pub(super) fn column_names<S: ToString>(names: impl IntoIterator<Item = S>) -> Vec<String> {
    names.into_iter().map(|name| name.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(style: Style, values: [(Source, f64); 4]) -> Vec<(bool, bool)> {
        let row = |(source, value)| Row {
            name: String::new(),
            source,
            cells: vec![Some(Cell::of(value)), None],
        };
        let table = Table {
            id: String::new(),
            title: String::new(),
            note: String::new(),
            style,
            absent: "-",
            columns: vec![String::new(), String::new()],
            rows: values.map(row).to_vec(),
        };
        let cells = table.marked().rows.into_iter().filter_map(|row| row.cells[0]);
        cells.map(|cell| (cell.best, cell.at_or_above_published)).collect()
    }

    #[test]
    fn marks_follow_what_is_printed() {
        use Source::{Derived, Ours, Published};
        let scores = [(Published, 0.9), (Published, 0.8), (Ours, 0.89996), (Derived, 0.95)];
        let marks = [(true, false), (false, false), (true, true), (false, false)];
        assert_eq!(table(Style::Scores, scores), marks);
        let seconds = [(Published, 2.0), (Published, 9.0), (Ours, 1.0), (Ours, 3.0)];
        let marks = [(false, false), (false, false), (true, true), (false, false)];
        assert_eq!(table(Style::Seconds, seconds), marks);
    }
}
