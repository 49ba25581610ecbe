//! Ids that differ only in case or surrounding blanks: refused, or joined.

use std::borrow::Cow;
use std::collections::HashMap;

use gage_core::Hint;
use gage_core::graph::Nodes;

use crate::contents::LinkTable;
use crate::dataset::join_rule::IdSpelling;
use crate::dataset::parts::Parts;
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

/// Refuses ids of which spellings differ, or gives them one spelling, as the caller says.
pub(crate) fn settle(parts: &mut Parts, spelling: IdSpelling) -> Result<(), ReadError> {
    if spelling == IdSpelling::Exact {
        return Ok(());
    }
    let all = spellings(parts);
    if spelling == IdSpelling::FoldCase {
        return fold(parts, &all);
    }
    let ambiguous: Vec<&Spellings> = all.values().filter(|one| one.ambiguous()).collect();
    // The one that stands first is reported, whatever the order of the table.
    let Some(example) = ambiguous.iter().min_by_key(|one| &one.first[..2]) else { return Ok(()) };
    let [(one, at), (other, with)] = &example.first[..2] else { return Ok(()) };
    let origins = origins(parts);
    let found = differing(ambiguous.len(), one, other);
    let expected = "one spelling for each node";
    let (first, second) = (&origins[*at], &origins[*with]);
    Err(if at == with {
        ReadError::malformed(first, Place::File, found, expected, Hint::IdSpelling)
    } else {
        ReadError::mismatch(first, second, found, expected, Hint::IdSpelling)
    })
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

/// Where the lists of [`each_id`] are from.
fn origins(parts: &Parts) -> Vec<Origin> {
    let nodes = parts.nodes.iter().map(|part| &part.origin);
    let tables = parts.attributes.iter().map(|part| &part.origin);
    let links = parts.links.iter().map(|part| &part.origin);
    let labels = parts.labels.iter().map(|part| &part.origin);
    nodes.chain(tables).chain(links).chain(labels).cloned().collect()
}

/// Every id with the number of its list, and whether that has one row per node. The order is that
/// in which parts say what nodes are called.
fn each_id(parts: &Parts, mut each: impl FnMut(&str, usize, bool)) {
    let nodes = parts.nodes.iter().map(|part| (Some(&part.value), true));
    let tables = parts.attributes.iter().map(|part| (part.value.ids.as_ref(), true));
    let links = parts.links.iter().map(|part| (part.value.ids.as_ref(), false));
    let mut lists = 0;
    for (list, (ids, one_row_each)) in nodes.chain(tables).chain(links).enumerate() {
        lists = list + 1;
        let Some(ids) = ids else { continue };
        (0..ids.len()).filter_map(|at| ids.name(at)).for_each(|id| each(id, list, one_row_each));
    }
    let labels = parts.labels.iter().filter_map(|part| part.value.ids.as_ref());
    labels.flatten().for_each(|id| each(id, lists, false));
}

/// All spellings of the ids that are not written in lower case without blanks everywhere.
fn spellings(parts: &Parts) -> HashMap<String, Spellings> {
    let mut all: HashMap<String, Spellings> = HashMap::new();
    each_id(parts, |id, _, _| {
        let plain = folded(id);
        if plain != id && !all.contains_key(plain.as_ref()) {
            let none = Spellings { first: Vec::new(), told_apart: false, last_rows: None };
            all.insert(plain.into_owned(), none);
        }
    });
    if !all.is_empty() {
        each_id(parts, |id, list, one_row_each| {
            if let Some(known) = all.get_mut(folded(id).as_ref()) {
                known.add(id, list, one_row_each);
            }
        });
    }
    all
}

/// Gives every id the spelling that comes first.
fn fold(parts: &mut Parts, all: &HashMap<String, Spellings>) -> Result<(), ReadError> {
    let several: Vec<&Spellings> = all.values().filter(|one| one.first.len() > 1).collect();
    let Some(example) = several.iter().min_by_key(|one| &one.first[..2]) else { return Ok(()) };
    let [(one, _), (other, _), ..] = &example.first[..] else { return Ok(()) };
    parts.info.push(format!("{}: joined", differing(several.len(), one, other)));
    let kept = |id: &str| match all.get(folded(id).as_ref()) {
        Some(known) => known.first[0].0.clone(),
        None => id.to_owned(),
    };
    let renamed = |origin: &Origin, ids: &Nodes| {
        let names = (0..ids.len()).filter_map(|at| ids.name(at)).map(kept);
        let row = |row| Place::entry(format!("row {row}"));
        Nodes::named(names).map_err(|error| duplicate_id(origin, error, row, 0))
    };
    for part in parts.nodes.iter_mut().filter(|part| part.value.is_named()) {
        part.value = renamed(&part.origin, &part.value)?;
    }
    for part in &mut parts.attributes {
        if let Some(ids) = &mut part.value.ids {
            *ids = renamed(&part.origin, ids)?;
        }
    }
    for part in &mut parts.links {
        if let Some(ids) = part.value.ids.take() {
            merge(&part.origin, &mut part.value, &ids, kept)?;
        }
    }
    for ids in parts.labels.iter_mut().filter_map(|part| part.value.ids.as_mut()) {
        ids.iter_mut().for_each(|id| *id = kept(id));
    }
    Ok(())
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
