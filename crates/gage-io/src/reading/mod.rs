//! What was taken as what in a table, an edge list or a file of labels, and what may be said about
//! it beforehand.

mod describe;
mod options;

use serde::{Deserialize, Serialize};

use crate::text::dialect::Separator;

pub use options::{ColumnOptions, IdColumn};
pub(crate) use options::{Names, listed};

/// How a table, an edge list or a file of labels was read. `Display` says it in one line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// The file, or the argument that held the data.
    pub origin: String,
    /// What a row is about.
    pub rows: RowKind,
    /// Whether the first row names the columns.
    pub header: bool,
    /// What stands between two cells, if the data are text.
    pub separator: Option<&'static str>,
    /// The columns, in their order.
    pub columns: Vec<ColumnReading>,
}

/// What the rows of a file are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// A row is a link.
    Links,
    /// A row is a node with its attributes.
    Attributes,
    /// A row is the label of a node.
    Labels,
}

/// What one column was taken as.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ColumnReading {
    /// Its name in the header, or `column 1`, ...
    pub name: String,
    /// What it is there for.
    pub role: Role,
    /// For columns of attributes, what their cells are; `ignored` for those left out.
    pub kind: Option<CellKind>,
    /// Its first values.
    pub examples: Vec<String>,
    /// Share of its cells that are missing, if they were counted.
    pub missing: Option<f64>,
    /// Why, if that needs a word.
    pub why: Option<String>,
}

/// What a column is there for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// ids of the rows
    Id,
    /// where links begin
    Source,
    /// where they end
    Target,
    /// their weights
    Weight,
    /// what relation each link belongs to
    Relation,
    /// when each link was
    Time,
    /// classes of the nodes
    Label,
    /// attributes of the nodes
    Attribute,
    /// nothing
    #[default]
    Ignored,
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellKind {
    /// numbers, standardised
    Number,
    /// numbers whose fraction stands after a comma
    DecimalComma,
    /// one of some values
    Category,
    /// free text
    Words,
    /// a day, perhaps with a time
    Date,
    /// a date written day/month/year
    DateDmy,
    /// a date written month/day/year
    DateMdy,
    /// yes or no
    Boolean,
    /// nothing that is used
    Ignored,
}

impl CellKind {
    /// All of them, in the order in which messages list them.
    pub const ALL: [CellKind; 9] = [
        CellKind::Number,
        CellKind::DecimalComma,
        CellKind::Category,
        CellKind::Words,
        CellKind::Date,
        CellKind::DateDmy,
        CellKind::DateMdy,
        CellKind::Boolean,
        CellKind::Ignored,
    ];

    /// Its name, as options and readings write it.
    pub fn name(self) -> &'static str {
        match self {
            CellKind::Number => "number",
            CellKind::DecimalComma => "decimal-comma",
            CellKind::Category => "category",
            CellKind::Words => "words",
            CellKind::Date => "date",
            CellKind::DateDmy => "date-dmy",
            CellKind::DateMdy => "date-mdy",
            CellKind::Boolean => "boolean",
            CellKind::Ignored => "ignored",
        }
    }

    /// The kind of a name.
    pub fn parse(name: &str) -> Option<CellKind> {
        CellKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The names of all kinds, for messages.
    pub fn known() -> String {
        CellKind::ALL.map(CellKind::name).join(", ")
    }
}

impl Reading {
    /// The name of the column with a role, if there is one.
    pub fn column(&self, role: Role) -> Option<&str> {
        let found = self.columns.iter().find(|column| column.role == role);
        found.map(|column| column.name.as_str())
    }
}

/// What stands between two cells, in words.
pub(crate) fn separator_name(separator: Separator) -> Option<&'static str> {
    Some(match separator {
        Separator::Byte(b',') => "comma",
        Separator::Byte(b'\t') => "tab",
        Separator::Byte(b';') => "semicolon",
        Separator::Byte(_) => "bar",
        Separator::Blanks => "blanks",
        Separator::None => return None,
    })
}

/// First different values of a column, for its reading.
#[derive(Clone, Debug, Default)]
pub(crate) struct Examples(Vec<String>);

impl Examples {
    const COUNT: usize = 3;
    const LONGEST: usize = 40;

    pub(crate) fn add(&mut self, cell: &str) {
        if self.0.len() == Examples::COUNT || cell.is_empty() {
            return;
        }
        let mut text: String = cell.chars().take(Examples::LONGEST).collect();
        if text.len() < cell.len() {
            text.push('…');
        }
        if !self.0.contains(&text) {
            self.0.push(text);
        }
    }

    pub(crate) fn finish(self) -> Vec<String> {
        self.0
    }

    /// Those of a column of sampled rows.
    pub(crate) fn of(rows: &[Vec<String>], column: usize) -> Vec<String> {
        let mut examples = Examples::default();
        rows.iter().filter_map(|row| row.get(column)).for_each(|cell| examples.add(cell));
        examples.finish()
    }
}
