//! What may be said beforehand about the columns of tables and edge lists.

use serde::Deserialize;

use super::{CellKind, Role};
use crate::error::{Origin, Place, ReadError};

/// Which column of an attribute table (text or Parquet) holds the ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdColumn {
    /// The one called `id`, `node`, `key`, `name` or the like, otherwise the first.
    #[default]
    Auto,
    /// The one of this name.
    Named(String),
    /// None: the rows are in the order of the nodes.
    None,
}

/// What is said about the columns of tables and edge lists. Columns of files without a header are
/// called `column 1`, `column 2`, ...
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ColumnOptions {
    /// Which column of attribute tables holds the ids.
    pub ids: IdColumn,
    /// Whether the first row names the columns.
    pub header: Option<bool>,
    /// Where links begin.
    pub source: Option<String>,
    /// Where links end.
    pub target: Option<String>,
    /// The weights of links.
    pub weight: Option<String>,
    /// The relation each link belongs to.
    pub relation: Option<String>,
    /// When each link was.
    pub time: Option<String>,
    /// Days after which a link weighs half as much.
    pub half_life: Option<f64>,
    /// What the cells of columns of attributes are.
    pub kinds: Vec<(String, CellKind)>,
    /// The only columns that are attributes, if any are named.
    pub only: Vec<String>,
    /// Columns that are left out.
    pub ignore: Vec<String>,
    /// The column of classes, in tables and files of labels.
    pub label: Option<String>,
    /// Whether columns named here may be absent, because another file has them.
    pub several_files: bool,
}

/// Columns by name, with the error that lists them.
pub(crate) struct Names<'a> {
    pub(crate) origin: &'a Origin,
    pub(crate) names: &'a [String],
    pub(crate) several_files: bool,
}

impl Names<'_> {
    /// Where the column of a name stands; nothing if another file may have it.
    pub(crate) fn find(&self, wanted: &str, what: &str) -> Result<Option<usize>, ReadError> {
        let found = self.names.iter().position(|name| name == wanted).or_else(|| {
            let folded = |name: &String| name.to_lowercase() == wanted.to_lowercase();
            self.names.iter().position(folded)
        });
        if found.is_some() || self.several_files {
            return Ok(found);
        }
        let found = format!("the columns {}", listed(self.names));
        let remedy = "check the name; columns of a file without header are `column 1`, ...";
        let expected = format!("a column `{wanted}` {what}");
        Err(ReadError::malformed(self.origin, Place::File, found, expected, remedy))
    }

    pub(crate) fn find_given(
        &self,
        wanted: Option<&String>,
        what: &str,
    ) -> Result<Option<usize>, ReadError> {
        wanted.map_or(Ok(None), |wanted| self.find(wanted, what))
    }
}

/// Names for a message: all of them, unless there are very many.
pub(crate) fn listed(names: &[String]) -> String {
    const MOST: usize = 20;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > MOST { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}

impl ColumnOptions {
    /// Options that say nothing but where the ids are.
    pub fn with_ids(ids: IdColumn) -> ColumnOptions {
        ColumnOptions { ids, ..ColumnOptions::default() }
    }

    /// Options that say nothing but where the labels are.
    pub fn with_label(label: Option<String>) -> ColumnOptions {
        ColumnOptions { label, ..ColumnOptions::default() }
    }

    /// All names in them, and what each is for.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&str, Option<Role>)> {
        let single = [
            (&self.source, Role::Source),
            (&self.target, Role::Target),
            (&self.weight, Role::Weight),
            (&self.relation, Role::Relation),
            (&self.time, Role::Time),
            (&self.label, Role::Label),
        ];
        let single = single.into_iter().filter_map(|(n, role)| Some((n.as_deref()?, Some(role))));
        let kinds = self.kinds.iter().map(|kind| (kind.0.as_str(), Some(Role::Attribute)));
        let only = self.only.iter().map(|name| (name.as_str(), Some(Role::Attribute)));
        single.chain(kinds).chain(only).chain(self.ignore.iter().map(|name| (name.as_str(), None)))
    }
}
