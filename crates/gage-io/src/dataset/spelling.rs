//! Ids that differ only in case or surrounding blanks: refused, or joined.

use std::borrow::Cow;
use std::collections::HashMap;

use gage_core::Hint;
use gage_core::graph::Nodes;

use crate::contents::LinkTable;
use crate::dataset::join_rule::IdSpelling;
use crate::error::{Origin, Place, ReadError};
use crate::node_ids::duplicate_id;
use crate::sparse_builder::{from_entries, key, sparse_error};

/// An id without what writing varies: lower case, no blanks around it.
pub(crate) fn folded(id: &str) -> Cow<'_, str> {
    let trimmed = id.trim();
    if trimmed.chars().any(char::is_uppercase) {
        Cow::Owned(trimmed.to_lowercase())
    } else {
        Cow::Borrowed(trimmed)
    }
}

/// The spellings of one id, in order of appearance.
struct Spellings {
    /// each spelling, and the first list that has it
    first: Vec<(String, usize)>,
    /// Whether a list with one row per node has a row for each of two spellings.
    told_apart: bool,
    /// the list of rows that had a spelling last
    last_rows: Option<usize>,
}

impl Spellings {
    fn add(&mut self, spelling: &str, list: usize, one_row_each: bool) {
        if one_row_each {
            self.told_apart |= self.last_rows == Some(list);
            self.last_rows = Some(list);
        }
        if !self.first.iter().any(|(known, _)| known == spelling) {
            self.first.push((spelling.to_owned(), list));
        }
    }

    /// Two spellings that may be one node.
    fn ambiguous(&self) -> bool {
        self.first.len() > 1 && !self.told_apart
    }
}

/// The ids of one part of a data set.
pub(crate) struct IdPart<'a> {
    pub(crate) origin: Origin,
    pub(crate) ids: Ids<'a>,
}

/// Where ids stand.
pub(crate) enum Ids<'a> {
    /// One row for each: names of nodes, or ids of a table.
    Rows(&'a mut Nodes),
    /// The ends of links.
    Ends(&'a mut LinkTable),
    /// Anywhere else, perhaps more than once.
    List(&'a mut Vec<String>),
}

impl<'a> IdPart<'a> {
    pub(crate) fn new(origin: &Origin, ids: Ids<'a>) -> IdPart<'a> {
        IdPart { origin: origin.clone(), ids }
    }

    fn each(&self, mut each: impl FnMut(&str)) {
        let named = |ids: &Nodes, each: &mut dyn FnMut(&str)| {
            (0..ids.len()).filter_map(|at| ids.name(at)).for_each(each);
        };
        match &self.ids {
            Ids::Rows(ids) => named(ids, &mut each),
            Ids::Ends(table) => table.ids.iter().for_each(|ids| named(ids, &mut each)),
            Ids::List(ids) => ids.iter().for_each(|id| each(id)),
        }
    }

    /// Gives every id the spelling that is kept.
    fn rename(&mut self, kept: impl Fn(&str) -> String) -> Result<(), ReadError> {
        match &mut self.ids {
            Ids::Rows(ids) if ids.is_named() => {
                let names = (0..ids.len()).filter_map(|at| ids.name(at)).map(kept);
                let row = |row| Place::entry(format!("row {row}"));
                let unique = |error| duplicate_id(&self.origin, error, row, 0);
                **ids = Nodes::named(names).map_err(unique)?;
            }
            Ids::Rows(_) => {}
            Ids::Ends(table) => {
                if let Some(ids) = table.ids.take() {
                    merge(&self.origin, table, &ids, kept)?;
                }
            }
            Ids::List(ids) => ids.iter_mut().for_each(|id| *id = kept(id)),
        }
        Ok(())
    }
}

/// Refuses ids of which spellings differ, or gives them the one that comes first, as the caller
/// says. Parts are in the order in which they say what nodes are called. Returns a note on what was
/// joined.
pub(crate) fn settle(
    parts: &mut [IdPart<'_>],
    spelling: IdSpelling,
) -> Result<Option<String>, ReadError> {
    if spelling == IdSpelling::Exact {
        return Ok(None);
    }
    let all = spellings(parts);
    if spelling == IdSpelling::FoldCase {
        return fold(parts, &all);
    }
    let ambiguous: Vec<&Spellings> = all.values().filter(|one| one.ambiguous()).collect();
    // The one that stands first is reported, whatever the order of the table.
    let Some(example) = ambiguous.iter().min_by_key(|one| &one.first[..2]) else { return Ok(None) };
    let [(one, at), (other, with)] = &example.first[..2] else { return Ok(None) };
    let found = differing(ambiguous.len(), one, other);
    let expected = "one spelling for each node";
    let (first, second) = (&parts[*at].origin, &parts[*with].origin);
    Err(if at == with {
        ReadError::malformed(first, Place::File, found, expected, Hint::IdSpelling)
    } else {
        ReadError::mismatch(first, second, found, expected, Hint::IdSpelling)
    })
}

/// The node of an id that somebody gives, by the rule for the ids of files: `None` if there is
/// none, an error if only its spelling differs and the caller does not say what that means.
pub fn find_node(
    nodes: &Nodes,
    id: &str,
    spelling: IdSpelling,
) -> Result<Option<usize>, ReadError> {
    let found = nodes.find(id);
    if found.is_some() || !nodes.is_named() || spelling == IdSpelling::Exact {
        return Ok(found);
    }
    let wanted = folded(id);
    let names = (0..nodes.len()).filter_map(|at| Some((at, nodes.name(at)?)));
    let alike: Vec<(usize, &str)> = names.filter(|(_, name)| folded(name) == wanted).collect();
    let origin = Origin::Memory("the requested node".to_owned());
    match (&alike[..], spelling) {
        ([], _) => Ok(None),
        ([(at, _)], IdSpelling::FoldCase) => Ok(Some(*at)),
        ([(_, one)], _) => {
            let (found, expected) = (differing(1, one, id), "an id of the model");
            Err(ReadError::malformed(origin, Place::File, found, expected, Hint::IdSpelling))
        }
        ([(_, one), (_, other), ..], _) => {
            let found = format!("`{id}`, which may be `{one}` or `{other}`");
            let hint = Hint::from("write it letter by letter");
            Err(ReadError::malformed(origin, Place::File, found, "one node", hint))
        }
    }
}

/// How many ids differ in what, with an example.
pub(crate) fn differing(count: usize, one: &str, other: &str) -> String {
    let what = match one.trim() == other.trim() {
        true => "blanks around them",
        false if one.to_lowercase() == other.to_lowercase() => "case",
        false => "case and blanks around them",
    };
    let verb = if count == 1 { "id that differs" } else { "ids that differ" };
    format!("{count} {verb} only in {what}, first `{one}` against `{other}`")
}

/// All spellings of the ids that are not written in lower case without blanks everywhere.
fn spellings(parts: &[IdPart<'_>]) -> HashMap<String, Spellings> {
    let mut all: HashMap<String, Spellings> = HashMap::new();
    for part in parts {
        part.each(|id| {
            let plain = folded(id);
            if plain != id && !all.contains_key(plain.as_ref()) {
                let none = Spellings { first: Vec::new(), told_apart: false, last_rows: None };
                all.insert(plain.into_owned(), none);
            }
        });
    }
    if all.is_empty() {
        return all;
    }
    for (list, part) in parts.iter().enumerate() {
        let one_row_each = matches!(part.ids, Ids::Rows(_));
        part.each(|id| {
            if let Some(known) = all.get_mut(folded(id).as_ref()) {
                known.add(id, list, one_row_each);
            }
        });
    }
    all
}

/// Gives every id the spelling that comes first.
fn fold(
    parts: &mut [IdPart<'_>],
    all: &HashMap<String, Spellings>,
) -> Result<Option<String>, ReadError> {
    let several: Vec<&Spellings> = all.values().filter(|one| one.first.len() > 1).collect();
    let Some(example) = several.iter().min_by_key(|one| &one.first[..2]) else { return Ok(None) };
    let [(one, _), (other, _), ..] = &example.first[..] else { return Ok(None) };
    let note = format!("{}: joined", differing(several.len(), one, other));
    for part in parts {
        part.rename(|id| match all.get(folded(id).as_ref()) {
            Some(known) => known.first[0].0.clone(),
            None => id.to_owned(),
        })?;
    }
    Ok(Some(note))
}

/// Links of ids under other names; nodes whose names are then the same become one, and links that
/// meet are summed.
fn merge(
    origin: &Origin,
    table: &mut LinkTable,
    ids: &Nodes,
    kept: impl Fn(&str) -> String,
) -> Result<(), ReadError> {
    let (mut names, mut known) = (Vec::new(), HashMap::new());
    let places: Vec<u32> = (0..ids.len())
        .map(|at| {
            let name = kept(ids.name(at).unwrap_or_default());
            *known.entry(name).or_insert_with_key(|name| {
                names.push(name.clone());
                names.len() as u32 - 1
            })
        })
        .collect();
    let count = names.len();
    if count < ids.len() {
        let mut entries = Vec::with_capacity(table.links.nnz());
        for (row, &place) in places.iter().enumerate() {
            let links = table.links.row(row);
            entries.extend(links.map(|(col, value)| (key(place, places[col as usize]), value)));
        }
        let built = from_entries(count, count, entries);
        table.links = built.map_err(|error| sparse_error(origin, Place::File, error))?.0;
    }
    let unique = |error| duplicate_id(origin, error, Place::Line, 1);
    table.ids = Some(Nodes::named(&names).map_err(unique)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_blanks_fold_and_nothing_else() {
        assert_eq!(folded(" Ann\t"), "ann");
        assert!(matches!(folded("ann 7"), Cow::Borrowed("ann 7")));
        assert_eq!(folded("ÉVA"), folded("éva"));
        assert_ne!(folded("7"), folded("007"));
        assert_eq!(
            differing(40, "N1", "n1"),
            "40 ids that differ only in case, first `N1` against `n1`"
        );
        assert!(differing(1, "a", " a").starts_with("1 id that differs only in blanks"));
        assert!(differing(2, "A", " a").contains("case and blanks"));
    }
}
