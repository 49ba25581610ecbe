//! Readings of tables, column by column.

use gage_embed::io::{Reading, Role};

use crate::output::table;

/// Columns that are listed; tables of words have thousands.
const LISTED: usize = 40;

/// Says what each column was taken as.
pub(super) fn write_reading(reading: &Reading, text: &mut String) {
    let separator = reading.separator.map_or_else(String::new, |name| format!("{name}, "));
    let header = if reading.header { "header" } else { "no header" };
    text.push_str(&format!("{}: {separator}{header}\n", reading.origin));
    let mut rows =
        vec![["column", "read as", "examples", "missing", ""].map(String::from).to_vec()];
    rows.extend(reading.columns.iter().take(LISTED).map(|column| {
        let kind = match (column.role, column.kind) {
            (Role::Attribute, Some(kind)) => kind.name().to_owned(),
            (role, _) => format!("{role:?}").to_lowercase(),
        };
        let missing = column.missing.filter(|share| *share > 0.0);
        vec![
            column.name.clone(),
            kind,
            column.examples.join(", "),
            missing.map_or_else(String::new, |share| format!("{:.1} %", 100.0 * share)),
            column.why.clone().unwrap_or_default(),
        ]
    }));
    text.push_str(&table(&rows));
    let more = reading.columns.len().saturating_sub(LISTED);
    if more > 0 {
        text.push_str(&format!("  ... and {more} columns more\n"));
    }
}
