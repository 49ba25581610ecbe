//! Links one by one, with their weights, relations and times: from Parquet and from memory.

use std::collections::HashMap;

use gage_core::graph::Nodes;

use crate::contents::{EdgeSemantics, LinkTable, repeated};
use crate::error::{Origin, Place, ReadError};
use crate::format::edge_list::parse::Chunk;
use crate::format::edge_list::relations::{decay, split};
use crate::node_ids::duplicate_id;
use crate::note::Note;
use crate::sparse_builder::{from_entries, from_keys, key, sparse_error};

/// Collects links; ids are in order of first appearance.
#[derive(Default)]
pub(crate) struct EdgeRows {
    numbers: HashMap<String, u32>,
    ids: Vec<String>,
    links: Chunk,
    half_life: Option<f64>,
}

impl EdgeRows {
    pub(crate) fn new(half_life: Option<f64>) -> EdgeRows {
        EdgeRows { half_life, ..EdgeRows::default() }
    }

    fn number(&mut self, id: &str) -> u32 {
        if let Some(&number) = self.numbers.get(id) {
            return number;
        }
        let number = self.ids.len() as u32;
        self.numbers.insert(id.to_owned(), number);
        self.ids.push(id.to_owned());
        number
    }

    /// Adds a link between two ids that are not empty. A weight that is missing in a list with
    /// weights counts as 1.
    pub(crate) fn push(
        &mut self,
        ends: [&str; 2],
        weight: Option<Option<f64>>,
        relation: Option<&str>,
        time: Option<f64>,
    ) {
        let key = key(self.number(ends[0]), self.number(ends[1]));
        if weight == Some(None) {
            self.links.unweighted += 1;
        }
        match weight.map(|weight| weight.unwrap_or(1.0)).or(time.map(|_| 1.0)) {
            Some(weight) => self.links.entries.push((key, weight)),
            None => self.links.keys.push(key),
        }
        relation.into_iter().for_each(|name| self.links.relations.push(name.as_bytes()));
        self.links.times.extend(time);
    }

    /// The links as a table.
    pub(crate) fn finish(mut self, origin: &Origin) -> Result<LinkTable, ReadError> {
        let count = self.ids.len();
        if count == 0 {
            return Err(ReadError::empty(origin, "at least one link"));
        }
        if let Some(days) = self.half_life {
            decay(&mut self.links, days);
        }
        let relations = split(origin, count, &self.links)?;
        let nodes = Nodes::named(&self.ids).map_err(|e| duplicate_id(origin, e, Place::Line, 0))?;
        let built = match self.links.entries.is_empty() {
            true => from_keys(count, count, self.links.keys),
            false => from_entries(count, count, self.links.entries),
        };
        let (links, repeats) = built.map_err(|error| sparse_error(origin, Place::File, error))?;
        let repeats = if relations.is_empty() { repeats } else { 0 };
        let mut warnings: Vec<Note> = repeated(origin, repeats).into_iter().collect();
        if self.links.unweighted > 0 {
            let text = format!("{} links have no weight and count as 1", self.links.unweighted);
            warnings.push(format!("{origin}: {text}").into());
        }
        let table = LinkTable::new(Some(nodes), links, EdgeSemantics::EdgeList);
        Ok(LinkTable { relations, warnings, ..table })
    }
}
