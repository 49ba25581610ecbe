//! A reading in one line.

use std::fmt;

use super::{CellKind, ColumnReading, Reading, Role};

/// Columns of one kind that are named; of more the number is said.
const NAMED: usize = 5;

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.origin)?;
        if let Some(separator) = self.separator {
            write!(f, "{separator}, ")?;
        }
        f.write_str(if self.header { "header" } else { "no header" })?;
        for (roles, what) in [
            (&[Role::Source][..], "source"),
            (&[Role::Target], "target"),
            (&[Role::Weight], "weight"),
            (&[Role::Relation], "relation"),
            (&[Role::Time], "time"),
            (&[Role::Id], "id"),
            (&[Role::Label], "label"),
        ] {
            let columns = self.columns.iter().filter(|column| roles.contains(&column.role));
            for column in columns {
                write!(f, "; {what} `{}`", column.name)?;
                if let Some(why) = &column.why {
                    write!(f, " ({why})")?;
                }
            }
        }
        let of_kind = |kind: CellKind| {
            let found = |c: &&ColumnReading| c.role == Role::Attribute && c.kind == Some(kind);
            self.columns.iter().filter(found).collect::<Vec<_>>()
        };
        for (kind, one, more) in [
            (CellKind::Number, "number", "numbers"),
            (CellKind::DecimalComma, "number", "numbers"),
            (CellKind::Category, "category", "categories"),
            (CellKind::Words, "words", "words"),
            (CellKind::Date, "date", "dates"),
            (CellKind::DateDmy, "date", "dates"),
            (CellKind::DateMdy, "date", "dates"),
            (CellKind::Boolean, "boolean", "booleans"),
        ] {
            write_columns(f, one, more, &of_kind(kind))?;
        }
        let ignored = self.columns.iter().filter(|column| column.role == Role::Ignored);
        write_columns(f, "ignored", "ignored", &ignored.collect::<Vec<_>>())
    }
}

fn write_columns(
    f: &mut fmt::Formatter<'_>,
    one: &str,
    more: &str,
    columns: &[&ColumnReading],
) -> fmt::Result {
    if columns.is_empty() {
        return Ok(());
    }
    let count = columns.len();
    f.write_str("; ")?;
    match count {
        1 => f.write_str(one)?,
        _ if count > NAMED => write!(f, "{count} {more}")?,
        _ => f.write_str(more)?,
    }
    for (at, column) in columns.iter().take(NAMED).enumerate() {
        f.write_str(if at == 0 { " " } else { ", " })?;
        write_column(f, column)?;
    }
    if count > NAMED { f.write_str(", ...") } else { Ok(()) }
}

/// The name of a column, and what of it is not plain.
fn write_column(f: &mut fmt::Formatter<'_>, column: &ColumnReading) -> fmt::Result {
    write!(f, "`{}`", column.name)?;
    let missing = column.missing.filter(|share| *share > 0.0).map(|share| {
        // A share that is not zero is not said to be.
        format!("{} % missing", (100.0 * share).round().max(1.0))
    });
    let mut said: Vec<String> = column.why.iter().cloned().chain(missing).collect();
    if column.role == Role::Ignored {
        said.truncate(1);
    }
    if said.is_empty() { Ok(()) } else { write!(f, " ({})", said.join(", ")) }
}
