//! What the columns of an attribute table are: which holds the ids, which the labels, and which
//! column of a fitted table each of the others is.

use std::collections::HashMap;

use gage_core::Hint;
use gage_core::graph::TableEncoding;

use crate::error::{Origin, Place, ReadError, ReadErrorKind};
use crate::note::{Note, first_few};
use crate::reading::{CellKind, IdColumn, Names};
use crate::table::column_names::{ID_NAMES, LABEL_LIKE_NAMES, LABEL_NAMES, known_name};
use crate::table::options::TableOptions;

/// What a column is there for, besides the attributes in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Id,
    Label,
    /// attributes, of a kind if somebody said so
    Attribute(Option<CellKind>),
    /// nothing, and why
    Ignored(&'static str),
}

/// The columns of a table.
pub(crate) struct TableSchema {
    pub(crate) names: Vec<String>,
    pub(crate) header: bool,
    pub(crate) separator: Option<&'static str>,
    pub(crate) uses: Vec<Use>,
    /// whether somebody or something said that the ids are there
    pub(crate) sure: bool,
    pub(crate) warnings: Vec<Note>,
}

/// The names of the columns of a table, as its format has them.
pub(crate) struct Header {
    pub(crate) names: Vec<String>,
    /// whether they stand in the file
    pub(crate) named: bool,
    pub(crate) separator: Option<&'static str>,
    /// whether the first column holds fractions, which no ids are
    pub(crate) fractions: bool,
}

impl Header {
    /// Names of columns of a format that always has them.
    pub(crate) fn named(names: Vec<String>, fractions: bool) -> Header {
        Header { names, named: true, separator: None, fractions }
    }
}

impl TableSchema {
    /// Finds ids, labels, and what was said about the other columns.
    pub(crate) fn find(
        origin: &Origin,
        header: Header,
        options: &TableOptions<'_>,
    ) -> Result<TableSchema, ReadError> {
        let mut warnings = Vec::new();
        let (id, sure) = find_id(origin, &header, options, &mut warnings)?;
        let Header { names, named, separator, .. } = header;
        let uses = vec![Use::Attribute(None); names.len()];
        let mut schema = TableSchema { names, header: named, separator, uses, sure, warnings };
        if let Some(id) = id {
            schema.uses[id] = Use::Id;
        }
        schema.apply(origin, options)?;
        Ok(schema)
    }

    /// Named columns of which the first surely holds the ids.
    pub(crate) fn with_ids(
        origin: &Origin,
        names: Vec<String>,
        options: &TableOptions<'_>,
    ) -> Result<TableSchema, ReadError> {
        let mut uses = vec![Use::Attribute(None); names.len()];
        uses[0] = Use::Id;
        let (separator, warnings) = (None, Vec::new());
        let mut schema = TableSchema { names, header: true, separator, uses, sure: true, warnings };
        schema.apply(origin, options)?;
        Ok(schema)
    }

    /// The column of the ids, and that of the labels.
    pub(crate) fn find_use(&self, wanted: &Use) -> Option<usize> {
        self.uses.iter().position(|use_| use_ == wanted)
    }

    /// What was said about columns, and which hold labels.
    fn apply(&mut self, origin: &Origin, options: &TableOptions<'_>) -> Result<(), ReadError> {
        let said = options.columns;
        let names = Names { origin, names: &self.names, several_files: said.several_files };
        let label = names.find_given(said.label.as_ref(), "with the labels")?;
        let mut uses = Vec::new();
        if !said.only.is_empty() {
            // Labels are found by their names all the same.
            let others = (0..names.names.len())
                .filter(|&at| !LABEL_NAMES.contains(&known_name(&names.names[at]).as_str()));
            uses.extend(others.map(|at| (at, Use::Ignored("not among the columns named"))));
        }
        for name in &said.only {
            let found = names.find(name, "with attributes")?;
            uses.extend(found.map(|at| (at, Use::Attribute(None))));
        }
        for (name, kind) in &said.kinds {
            let found = names.find(name, &format!("to be read as {}", kind.name()))?;
            uses.extend(found.map(|at| (at, Use::Attribute(Some(*kind)))));
        }
        for name in &said.ignore {
            let found = names.find(name, "to be left out")?;
            uses.extend(found.map(|at| (at, Use::Ignored("as said"))));
        }
        uses.extend(label.map(|at| (at, Use::Label)));
        for (at, use_) in uses {
            if self.uses[at] != Use::Id {
                self.uses[at] = match use_ {
                    Use::Attribute(Some(CellKind::Ignored)) => Use::Ignored("as said"),
                    other => other,
                };
            }
        }
        self.keep_labels_out(origin, options, label.is_some());
        Ok(())
    }

    /// Columns called like labels are never attributes, unless somebody said what they are or the
    /// fitted table has them; those that may well be labels are said.
    fn keep_labels_out(&mut self, origin: &Origin, options: &TableOptions<'_>, mut found: bool) {
        let fitted = |name: &str| options.like.is_some_and(|like| like.header && like.has(name));
        let open = |schema: &TableSchema, at: usize| {
            schema.uses[at] == Use::Attribute(None) && !fitted(&schema.names[at])
        };
        // Beside `x`, `y` is a coordinate.
        let coordinates = self.names.iter().any(|name| known_name(name) == "x");
        for name in LABEL_NAMES.into_iter().filter(|name| !(coordinates && *name == "y")) {
            for at in 0..self.names.len() {
                if known_name(&self.names[at]) != name || !open(self, at) {
                    continue;
                }
                let column = self.names[at].clone();
                let read = if found { "left out" } else { "read as labels" };
                let text = format!("column `{column}` is {read}, not an attribute");
                let hint = Some(Hint::ColumnKind { column, kinds: "category" });
                self.warnings.push(Note { text: format!("{origin}: {text}"), hint });
                self.uses[at] = if found { Use::Ignored("called like labels") } else { Use::Label };
                found = true;
            }
        }
        if options.like.is_some() {
            return;
        }
        for at in 0..self.names.len() {
            if LABEL_LIKE_NAMES.contains(&known_name(&self.names[at]).as_str()) && open(self, at) {
                let column = self.names[at].clone();
                let text = format!("column `{column}` is an attribute of the embedding");
                let text = format!("{origin}: {text}, so classes of that name are no secret to it");
                self.warnings.push(Note { text, hint: Some(Hint::PossibleLabel(column)) });
            }
        }
    }
}

/// The column of the ids, and whether that is sure.
fn find_id(
    origin: &Origin,
    header: &Header,
    options: &TableOptions<'_>,
    warnings: &mut Vec<Note>,
) -> Result<(Option<usize>, bool), ReadError> {
    let (names, like) = (&header.names, options.like);
    let fitted = |name: &str| like.is_some_and(|like| like.header && like.has(name));
    let taken = |name: &String| {
        let said = options.columns;
        let equal = |other: &String| other == name;
        said.ignore.iter().any(equal)
            || said.label.as_ref().is_some_and(equal)
            || said.kinds.iter().any(|kind| kind.0 == *name)
    };
    let known = |wanted: &str| {
        let found = names.iter().position(|name| known_name(name) == wanted && !taken(name));
        found.filter(|&at| header.named && !fitted(&names[at]))
    };
    let named = like
        .and_then(|like| like.columns.get(like.id?))
        .and_then(|id| names.iter().position(|name| header.named && *name == id.name))
        .or_else(|| ID_NAMES.iter().find_map(|name| known(name)));
    Ok(match &options.columns.ids {
        IdColumn::None => (None, true),
        IdColumn::Named(wanted) => {
            // Every table needs its ids, however many files there are.
            let names = Names { origin, names, several_files: false };
            (names.find(wanted, "with the ids")?, true)
        }
        IdColumn::Auto if named.is_some() => (named, true),
        IdColumn::Auto => match like {
            Some(like) => (like.id_without_name(names, header.named), true),
            None if header.fractions => {
                if header.named {
                    let text = format!("column `{}` holds fractions and there is no", names[0]);
                    let text = format!("{text} column of ids, so the rows are in order");
                    warnings.push(Note::from(format!("{origin}: {text}")));
                }
                (None, false)
            }
            None => (Some(0).filter(|_| !names.first().is_some_and(taken)), false),
        },
    })
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
    warnings: &mut Vec<Note>,
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
            let text = format!("{origin}: {count} columns {what}: {}", first_few(list));
            warnings.push(Note::from(text));
        }
    };
    say(unknown.len(), "are not in the model, left out", &unknown);
    say(absent.len(), "of the model are absent, taken as missing", &absent);
    Ok(targets)
}
