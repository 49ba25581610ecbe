//! Reads the classes of the nodes of an embedding.

use std::collections::HashMap;
use std::path::Path;

use gage_embed::io::{DatasetSpec, load, read_labels_with};
use gage_embed::{Labels, Nodes};

use crate::args::evaluate::LabelArgs;
use crate::args::missing;
use crate::errors::Failure;
use crate::session::Session;

/// Labels in the order of the rows of an embedding, and remarks on how they were joined.
pub(crate) struct Joined {
    pub(crate) labels: Labels,
    pub(crate) notes: Vec<String>,
}

/// Reads labels and brings them into the order of the nodes: by id where both sides have ids, by
/// row otherwise.
pub(crate) fn read(
    path: &Path,
    nodes: &Nodes,
    join: &LabelArgs,
    session: &Session,
) -> anyhow::Result<Joined> {
    if !path.exists() {
        return Err(missing(path).into());
    }
    let (ids, labels) = read_table(path, join, session)?;
    let joined = match ids {
        Some(ids) if nodes.is_named() || are_numbers(&ids, nodes.len()) => {
            by_id(path, &labels, &ids, nodes, join.ignore_unknown)?
        }
        _ => by_row(path, labels, nodes)?,
    };
    session.out.notes(&joined.notes);
    Ok(joined)
}

fn read_table(
    path: &Path,
    join: &LabelArgs,
    session: &Session,
) -> anyhow::Result<(Option<Vec<String>>, Labels)> {
    let mat = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mat"));
    if !path.is_dir() && !mat {
        let table = read_labels_with(path, &join.options())?;
        session.out.readings(table.reading.as_slice());
        return Ok((table.ids, table.labels));
    }
    let reading = join.options();
    let graph = load(&DatasetSpec { reading, ..DatasetSpec::at(path) })?.graph;
    let Some(labels) = graph.labels() else {
        let message = format!("{}: found no labels, expected a data set with some", path.display());
        return Err(Failure::misfit(message).help("name the file of labels itself").into());
    };
    let ids = graph.nodes().is_named().then(|| graph.nodes().ids().collect());
    Ok((ids, labels.clone()))
}

/// Whether ids are row numbers, as nodes without names have them.
fn are_numbers(ids: &[String], rows: usize) -> bool {
    ids.iter().all(|id| id.parse::<usize>().is_ok_and(|row| row < rows))
}

fn by_row(path: &Path, labels: Labels, nodes: &Nodes) -> Result<Joined, Failure> {
    if labels.len() == nodes.len() {
        return Ok(Joined { labels, notes: Vec::new() });
    }
    let message = format!(
        "{}: found {} labels, expected {}, one for each row of the embedding",
        path.display(),
        labels.len(),
        nodes.len()
    );
    Err(Failure::misfit(message).help(
        "give labels in the order of the rows (-1 or empty for none), or ids on both sides to join \
         by",
    ))
}

fn by_id(
    path: &Path,
    labels: &Labels,
    ids: &[String],
    nodes: &Nodes,
    ignore: bool,
) -> Result<Joined, Failure> {
    let own: Vec<String> = nodes.ids().collect();
    let index: HashMap<&str, usize> = own.iter().map(String::as_str).zip(0..).collect();
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); own.len()];
    let mut unknown = Vec::new();
    for (at, id) in ids.iter().enumerate() {
        match index.get(id.as_str()) {
            Some(&node) => lists[node].extend_from_slice(labels.of(at)),
            None => unknown.push(at),
        }
    }
    let mut notes = Vec::new();
    if let Some(&first) = unknown.first() {
        let text = format!(
            "{} of {} labels are for nodes that the embedding does not have, the first for `{}` \
             (label {})",
            unknown.len(),
            ids.len(),
            ids[first],
            first + 1
        );
        if !ignore || unknown.len() == ids.len() {
            let example = own.first().map_or("", String::as_str);
            let help = format!(
                "ids of the embedding look like `{example}` and must match exactly; \
                 --ignore-unknown leaves the others out"
            );
            return Err(Failure::misfit(format!("{}: {text}", path.display())).help(help));
        }
        notes.push(format!("{}: {text}; they are left out", path.display()));
    }
    let without = lists.iter().filter(|list| list.is_empty()).count();
    if without > 0 {
        notes.push(format!("{without} of {} nodes of the embedding have no label", own.len()));
    }
    let labels = Labels::from_lists(labels.class_names().to_vec(), lists.into_iter());
    Ok(Joined { labels, notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_join_and_strangers_are_refused_or_counted() {
        let nodes = Nodes::named(["a", "b", "c"]).unwrap();
        let ids = ["c", "a", "c", "x"].map(str::to_owned);
        let labels = Labels::from_numbers(&[0, 1, 2, 0]);
        let path = Path::new("l.csv");
        let fault = by_id(path, &labels, &ids, &nodes, false).err().unwrap().to_string();
        assert!(fault.contains("`x` (label 4)"), "{fault}");
        let joined = by_id(path, &labels, &ids, &nodes, true).ok().unwrap();
        assert_eq!(joined.labels.of(0), [1]);
        assert!(joined.labels.of(1).is_empty());
        assert_eq!(joined.labels.of(2), [0, 2]);
        assert_eq!(joined.notes.len(), 2);
    }

    #[test]
    fn rows_must_be_as_many() {
        let labels = Labels::from_numbers(&[0, 1]);
        assert!(by_row(Path::new("l"), labels.clone(), &Nodes::numbered(3)).is_err());
        assert!(by_row(Path::new("l"), labels, &Nodes::numbered(2)).is_ok());
        assert!(are_numbers(&["1".to_owned()], 2) && !are_numbers(&["2".to_owned()], 2));
    }
}
