//! Repeated node ids: found, or made unique.

use std::collections::{HashMap, HashSet};

use gage_core::graph::{NamesBuilder, Nodes, NodesError};

use crate::error::{Origin, Place, ReadError};

/// Says where the two rows with one id stand; `first` is the number of row 0.
pub(crate) fn duplicate_id(
    origin: impl Into<Origin>,
    error: NodesError,
    place: impl Fn(u64) -> Place,
    offset: u64,
) -> ReadError {
    match error {
        NodesError::Duplicate { id, first, second } => {
            let [first, second] = [first, second].map(|at| place(at as u64 + offset));
            ReadError::duplicate_id(origin, &id, first, second)
        }
        #[allow(unreachable_patterns, reason = "the enum may grow")]
        other => {
            let remedy = "ids must be unique";
            ReadError::malformed(origin, Place::File, other.to_string(), "unique ids", remedy)
        }
    }
}

/// Finds an id that stands on two lines.
pub(crate) fn check_unique(
    origin: impl Into<Origin>,
    ids: &[String],
    lines: &[u64],
) -> Result<(), ReadError> {
    let mut seen: HashMap<&str, u64> = HashMap::with_capacity(ids.len());
    for (id, &line) in ids.iter().zip(lines) {
        if let Some(first) = seen.insert(id, line) {
            return Err(ReadError::duplicate_id(origin, id, Place::Line(first), Place::Line(line)));
        }
    }
    Ok(())
}

/// Names made unique: the second of a kind gets `#2`, and so on. Also returns how many were
/// changed.
pub(crate) fn numbered_repeats(mut names: Vec<String>) -> (Nodes, usize) {
    let mut counts: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    let mut repeated = Vec::new();
    for (at, name) in names.iter().enumerate() {
        counts.entry(name).and_modify(|_| repeated.push(at)).or_insert(1);
    }
    let mut made: HashSet<String> = HashSet::new();
    let mut changes = Vec::with_capacity(repeated.len());
    for at in repeated {
        let name = names[at].as_str();
        let unique = loop {
            let count = counts.entry(name).or_insert(1);
            *count += 1;
            let unique = format!("{name}#{count}");
            if !counts.contains_key(unique.as_str()) && made.insert(unique.clone()) {
                break unique;
            }
        };
        changes.push((at, unique));
    }
    drop(counts);
    let changed = changes.len();
    changes.into_iter().for_each(|(at, unique)| names[at] = unique);
    let mut unique = NamesBuilder::default();
    names.iter().for_each(|name| unique.push(name));
    (unique.unique(), changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_get_numbers_that_no_other_name_has() {
        let names = ["a", "a", "a#2", "a", "b", "a#2"].map(String::from).to_vec();
        let (nodes, changed) = numbered_repeats(names);
        let found: Vec<String> = nodes.ids().collect();
        assert_eq!(found, ["a", "a#3", "a#2", "a#4", "b", "a#2#2"]);
        assert_eq!(changed, 3);
        assert_eq!(Nodes::named(&found).unwrap(), nodes);
    }
}
