//! Table encodings: how the cells of an attribute table are converted to numbers.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// The encoding of the columns of a table: learnt from all rows, and kept for rows of new nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableEncoding {
    /// whether the file names its columns; otherwise their order tells which is which
    pub header: bool,
    /// the column that holds the ids
    pub id: Option<usize>,
    /// whether the matrix is dense with NaN for missing cells; otherwise missing cells count as 0
    pub dense: bool,
    /// the columns in the order of the file
    pub columns: Vec<TableColumn>,
}

/// One column of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableColumn {
    /// name in the header, or the position
    pub name: String,
    /// what its cells become; nothing for ids, labels and columns that were left out
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ColumnKind>,
}

/// The encoding of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// distance from the mean in standard deviations
    Number {
        /// mean of the observed cells
        mean: f64,
        /// their standard deviation
        deviation: f64,
        /// how its cells are written
        #[serde(default, skip_serializing_if = "NumberFormat::is_plain")]
        format: NumberFormat,
    },
    /// days since 1970, as a distance from their mean in standard deviations
    Date {
        /// mean of the observed cells
        mean: f64,
        /// their standard deviation
        deviation: f64,
        /// how its cells are written
        order: DateOrder,
    },
    /// a column each for no and yes, 1 where the cell says so, in whatever case and word
    Boolean,
    /// one column per value, 1 where the cell has it; sorted
    Category {
        /// the distinct values
        values: Vec<String>,
    },
    /// one column per word, with the number of texts it is in; sorted
    Text {
        /// number of texts
        texts: u64,
        /// vocabulary with document frequencies
        words: Vec<(String, u32)>,
    },
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NumberFormat {
    /// `32131.5`
    #[default]
    Plain,
    /// `32,131.5`: commas group thousands
    Grouped,
    /// `32.131,5`: the comma stands before the fraction
    DecimalComma,
}

impl NumberFormat {
    fn is_plain(&self) -> bool {
        *self == NumberFormat::Plain
    }
}

/// In which order a date has its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateOrder {
    /// `2024-12-31`
    YearFirst,
    /// `31/12/2024`
    DayFirst,
    /// `12/31/2024`
    MonthFirst,
}

impl ColumnKind {
    /// Number of columns the cells take.
    pub fn width(&self) -> usize {
        match self {
            ColumnKind::Number { .. } | ColumnKind::Date { .. } => 1,
            ColumnKind::Boolean => 2,
            ColumnKind::Category { values } => values.len(),
            ColumnKind::Text { words, .. } => words.len(),
        }
    }

    /// Names of these columns: `age`, `city=Berlin`, `notes:word`.
    fn names(&self, name: &str) -> Vec<String> {
        match self {
            ColumnKind::Number { .. } | ColumnKind::Date { .. } => vec![name.to_owned()],
            ColumnKind::Boolean => ["no", "yes"].map(|value| format!("{name}={value}")).to_vec(),
            ColumnKind::Category { values } => {
                values.iter().map(|value| format!("{name}={value}")).collect()
            }
            ColumnKind::Text { words, .. } => {
                words.iter().map(|(word, _)| format!("{name}:{word}")).collect()
            }
        }
    }

    fn check(&self, name: &str) -> Result<(), String> {
        let ordered = match self {
            ColumnKind::Boolean => true,
            ColumnKind::Number { mean, deviation, .. }
            | ColumnKind::Date { mean, deviation, .. } => {
                if !mean.is_finite() || !deviation.is_finite() || *deviation <= 0.0 {
                    return Err(format!("column `{name}`: mean {mean}, deviation {deviation}"));
                }
                true
            }
            ColumnKind::Category { values } => values.is_sorted_by(|a, b| a < b),
            ColumnKind::Text { texts, words } => {
                if let Some((word, seen)) =
                    words.iter().find(|(_, seen)| *seen == 0 || u64::from(*seen) >= *texts)
                {
                    return Err(format!("column `{name}`: `{word}` in {seen} of {texts} texts"));
                }
                words.is_sorted_by(|a, b| a.0 < b.0)
            }
        };
        if ordered { Ok(()) } else { Err(format!("column `{name}`: values out of order")) }
    }
}

impl TableEncoding {
    /// The identity encoding of a matrix. Tables with the same column names can be read into it, or
    /// with as many columns if it has no names.
    pub fn of_matrix(names: Option<&[String]>, width: usize) -> TableEncoding {
        let kind =
            Some(ColumnKind::Number { mean: 0.0, deviation: 1.0, format: NumberFormat::Plain });
        let id = TableColumn { name: "id".to_owned(), kind: None };
        let name = |at: usize| match names {
            Some(names) => names[at].clone(),
            None => format!("column {}", at + 2),
        };
        let columns = (0..width).map(|at| TableColumn { name: name(at), kind: kind.clone() });
        TableEncoding {
            header: names.is_some(),
            id: Some(0),
            dense: true,
            columns: std::iter::once(id).chain(columns).collect(),
        }
    }

    /// Number of columns after encoding.
    pub fn width(&self) -> usize {
        self.kinds().map(|(_, kind)| kind.width()).sum()
    }

    /// Names of the columns after encoding: `age`, `city=Berlin`, `notes:word`.
    pub fn column_names(&self) -> Vec<String> {
        self.kinds().flat_map(|(name, kind)| kind.names(name)).collect()
    }

    fn kinds(&self) -> impl Iterator<Item = (&str, &ColumnKind)> {
        self.columns.iter().filter_map(|column| Some((column.name.as_str(), column.kind.as_ref()?)))
    }

    /// Whether a column of this name holds attributes.
    pub fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.kind.is_some() && column.name == name)
    }

    /// Whether a row names columns of this table.
    pub fn is_named_by(&self, row: Option<&Vec<String>>) -> bool {
        let Some(row) = row.filter(|_| self.header) else { return false };
        let known = |cell: &&String| self.columns.iter().any(|column| column.name == **cell);
        2 * row.iter().filter(known).count() >= row.len()
    }

    /// Where the ids are if no column has their name.
    pub fn id_without_name(&self, names: &[String], header: bool) -> Option<usize> {
        let id = self.id?;
        if self.header && header {
            return (!self.has(&names[0])).then_some(0);
        }
        // By position: the fitted table as it was, or all of it but the ids.
        match names.len() {
            width if width == self.columns.len() => Some(id),
            width if width + 1 == self.columns.len() => None,
            _ => Some(0),
        }
    }

    /// Checks an encoding that was read from a file.
    pub fn check(&self) -> Result<(), String> {
        if let Some(id) = self.id
            && self.columns.get(id).is_none_or(|column| column.kind.is_some())
        {
            return Err(format!("ids in column {id} of {}", self.columns.len()));
        }
        let mut seen = HashSet::new();
        for (name, kind) in self.kinds() {
            if self.header && !seen.insert(name) {
                return Err(format!("two columns `{name}`"));
            }
            kind.check(name)?;
        }
        Ok(())
    }
}
