//! Flags that say what the columns of tables and edge lists are.

use clap::{Args, ValueEnum};
use gage_embed::io::{CellKind, ColumnOptions, IdColumn};

/// What the columns of tables and edge lists are, where the reader cannot know or guesses wrong.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Columns of tables and edge lists")]
pub(crate) struct ColumnArgs {
    /// Column of attribute tables that holds the ids [default: one called id, node, key, name, ...,
    /// else the first]
    #[arg(long, value_name = "NAME")]
    pub(crate) id_column: Option<String>,
    /// Attribute tables have no ids: their rows are in the order of the nodes
    #[arg(long, conflicts_with = "id_column")]
    pub(crate) no_ids: bool,
    /// Whether the first row names the columns [default: as it looks; refused if both are
    /// plausible]. Columns without names are called `column 1`, `column 2`, ...
    #[arg(long, value_enum)]
    header: Option<YesNo>,
    /// Column of an edge list with the node a link begins at
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Column of an edge list with the node a link ends at
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// Column of an edge list with the weights
    #[arg(long, value_name = "NAME")]
    weight_column: Option<String>,
    /// Column of an edge list with the kind of link: each kind becomes a view of its own [default:
    /// one called type, relation, :TYPE, ...]
    #[arg(long, value_name = "NAME")]
    relation_column: Option<String>,
    /// Column of an edge list with times; they are ignored without --half-life
    #[arg(long, value_name = "NAME")]
    time_column: Option<String>,
    /// Days after which a link weighs half as much as the latest one
    #[arg(long, value_name = "DAYS", value_parser = days)]
    half_life: Option<f64>,
    /// What the cells of a column of attributes are: number, decimal-comma, category, words, date,
    /// date-dmy, date-mdy, boolean or ignored; may be given more than once
    #[arg(long = "column", value_name = "NAME=KIND", value_parser = kind)]
    kinds: Vec<(String, CellKind)>,
    /// The only columns that are attributes, separated by commas
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    only_columns: Vec<String>,
    /// Column to leave out; may be given more than once
    #[arg(long, value_name = "NAME")]
    ignore: Vec<String>,
    /// Column with the classes of the nodes, in a table or a file of labels; never an attribute
    #[arg(long, value_name = "NAME")]
    pub(crate) label_column: Option<String>,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum YesNo {
    /// it does
    Yes,
    /// it does not
    No,
}

fn kind(text: &str) -> Result<(String, CellKind), String> {
    // The name of a column may have `=` in it, that of a kind has none.
    let (name, kind) = text.rsplit_once('=').ok_or("expected NAME=KIND, such as zip=category")?;
    let known = || format!("`{kind}` is no kind; there are {}", CellKind::known());
    Ok((name.to_owned(), CellKind::parse(kind).ok_or_else(known)?))
}

fn days(text: &str) -> Result<f64, String> {
    let days: Option<f64> = text.parse().ok().filter(|days: &f64| days.is_finite() && *days > 0.0);
    days.ok_or_else(|| "expected a positive number of days".to_owned())
}

impl ColumnArgs {
    /// Options of the readers.
    pub(crate) fn options(&self) -> ColumnOptions {
        let mut options = ColumnOptions::with_ids(match &self.id_column {
            _ if self.no_ids => IdColumn::None,
            Some(name) => IdColumn::Named(name.clone()),
            None => IdColumn::Auto,
        });
        options.header = self.header.map(|answer| answer == YesNo::Yes);
        options.source = self.source.clone();
        options.target = self.target.clone();
        options.weight = self.weight_column.clone();
        options.relation = self.relation_column.clone();
        options.time = self.time_column.clone();
        options.half_life = self.half_life;
        options.kinds = self.kinds.clone();
        options.only = self.only_columns.clone();
        options.ignore = self.ignore.clone();
        options.label = self.label_column.clone();
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_days_are_checked() {
        assert_eq!(kind("a=b=category"), Ok(("a=b".to_owned(), CellKind::Category)));
        assert!(kind("zip").is_err());
        let error = kind("zip=code").unwrap_err();
        assert!(error.contains("number, decimal-comma, category"), "{error}");
        assert_eq!(days("30"), Ok(30.0));
        assert!(["0", "-1", "nan", "inf", "x"].iter().all(|bad| days(bad).is_err()));
    }
}
