//! What the columns of an attribute table are: which holds the ids, which the labels, and which
//! column of a fitted table each of the others is.

use std::collections::HashMap;

use gage_core::Hint;
use gage_core::graph::TableEncoding;

use crate::error::{Origin, Place, ReadError, ReadErrorKind};
use crate::note::first_few;
use crate::table::column_names::{ID_NAMES, LABEL_NAMES};
use crate::table::options::{IdColumn, TableOptions};

/// The columns of a table.
pub(crate) struct TableSchema {
    pub(crate) names: Vec<String>,
    pub(crate) header: bool,
    pub(crate) id: Option<usize>,
    /// whether somebody or something said that the ids are there
    pub(crate) sure: bool,
    pub(crate) label: Option<usize>,
    pub(crate) warnings: Vec<String>,
}

impl TableSchema {
    /// Finds ids and labels; `fractions` says that the first column holds fractions, which no ids
    /// are.
    pub(crate) fn find(
        origin: &Origin,
        names: Vec<String>,
        header: bool,
        fractions: bool,
        options: &TableOptions<'_>,
    ) -> Result<TableSchema, ReadError> {
        let mut warnings = Vec::new();
        let like = options.like;
        let fitted = |name: &str| like.is_some_and(|like| like.header && like.has(name));
        let known = |wanted: &str| {
            let found = names.iter().position(|name| name.to_lowercase() == wanted);
            found.filter(|&at| header && !fitted(&names[at]))
        };
        let named = like
            .and_then(|like| like.columns.get(like.id?))
            .and_then(|id| names.iter().position(|name| header && *name == id.name))
            .or_else(|| ID_NAMES.iter().find_map(|name| known(name)));
        let (id, sure) = match options.ids {
            Some(IdColumn::None) => (None, true),
            Some(IdColumn::Named(wanted)) => {
                let Some(at) = names.iter().position(|name| name == wanted) else {
                    let found = format!("the columns {}", names.join(", "));
                    let remedy =
                        "check the name; columns of a file without header are `column 1`, ...";
                    let expected = format!("a column `{wanted}` with the ids");
                    return Err(ReadError::malformed(origin, Place::File, found, expected, remedy));
                };
                (Some(at), true)
            }
            _ if named.is_some() => (named, true),
            _ => match like {
                Some(like) => (like.id_without_name(&names, header), true),
                None if fractions => {
                    if header {
                        let text =
                            format!("column `{}` holds fractions and there is no column", names[0]);
                        let text = format!("{origin}: {text} of ids, so the rows are in order");
                        warnings.push(text);
                    }
                    (None, false)
                }
                None => (Some(0), false),
            },
        };
        let label = label(&names).filter(|at| Some(*at) != id);
        Ok(TableSchema { names, header, id, sure, label, warnings })
    }

    /// Named columns of which the first surely holds the ids.
    pub(crate) fn with_ids(names: Vec<String>) -> TableSchema {
        let label = label(&names).filter(|&at| at > 0);
        TableSchema { names, header: true, id: Some(0), sure: true, label, warnings: Vec::new() }
    }
}

fn label(names: &[String]) -> Option<usize> {
    names.iter().position(|name| LABEL_NAMES.contains(&name.to_lowercase().as_str()))
}

/// The error of a first column that was taken for ids, but looks like data.
pub(crate) fn not_ids(origin: &Origin, column: &str, error: ReadError) -> ReadError {
    let (ReadErrorKind::DuplicateId { id, first }, Some(second)) = (error.kind(), error.place())
    else {
        return error;
    };
    let found = format!("`{id}` in column `{column}` at {first} and {second}");
    let expected = "unique ids in the first column, as no column is called like an id";
    ReadError::malformed(origin, Place::File, found, expected, Hint::IdColumn)
}

/// The fitted column of every column of a file: by name if both have names, otherwise by position.
pub(crate) fn targets(
    table: &TableEncoding,
    origin: &Origin,
    names: &[String],
    header: bool,
    skipped: &dyn Fn(usize) -> bool,
    warnings: &mut Vec<String>,
) -> Result<Vec<Option<usize>>, ReadError> {
    let fitted: Vec<usize> = (0..table.columns.len()).filter(|at| Some(*at) != table.id).collect();
    let given: Vec<usize> = (0..names.len()).filter(|at| !skipped(*at)).collect();
    let mut targets = vec![None; names.len()];
    if !(table.header && header) {
        if given.len() != fitted.len() {
            let found = format!("{} columns", given.len());
            let expected = format!("{}, as in the fitted table", fitted.len());
            let remedy = "name the columns as at the fit, or give all of them in the same order";
            return Err(ReadError::malformed(origin, Place::File, found, expected, remedy));
        }
        given.into_iter().zip(fitted).for_each(|(at, to)| targets[at] = Some(to));
        return Ok(targets);
    }
    let index: HashMap<&str, usize> =
        fitted.iter().map(|&at| (table.columns[at].name.as_str(), at)).collect();
    for &at in &given {
        targets[at] = index.get(names[at].as_str()).copied();
    }
    let unknown: Vec<&str> =
        given.iter().filter(|at| targets[**at].is_none()).map(|&at| names[at].as_str()).collect();
    let used = |at: usize| table.columns[at].kind.is_some();
    let absent: Vec<&str> = fitted
        .iter()
        .filter(|&&to| used(to) && !targets.contains(&Some(to)))
        .map(|&to| table.columns[to].name.as_str())
        .collect();
    if targets.iter().flatten().all(|&to| !used(to)) {
        let found = format!("the columns {}", first_few(&unknown));
        let expected = format!("columns of the fitted table: {}", first_few(&absent));
        let remedy = "name the columns as in the fitted table";
        return Err(ReadError::malformed(origin, Place::File, found, expected, remedy));
    }
    let mut say = |count: usize, what: &str, list: &[&str]| {
        if count > 0 {
            warnings.push(format!("{origin}: {count} columns {what}: {}", first_few(list)));
        }
    };
    say(unknown.len(), "are not in the model, left out", &unknown);
    say(absent.len(), "of the model are absent, taken as missing", &absent);
    Ok(targets)
}
