//! What was parsed, as links and an attribute table.

use std::collections::HashMap;

use gage_core::graph::{NamesBuilder, Nodes};

use crate::contents::{AttributeTable, EdgeSemantics, LinkTable, repeated};
use crate::error::{Origin, Place, ReadError, ReadErrorKind, excerpt};
use crate::note::Note;
use crate::sparse_builder::{from_entries, key, sparse_error};
use crate::table::encode::{EachRow, Rows, read_rows};
use crate::table::options::TableOptions;
use crate::table::schema::TableSchema;

use super::parse::{Parser, is_weight};

pub(super) const EXPECTED: &str = "a GraphML file";

/// What a GraphML file holds.
#[derive(Clone, Debug)]
pub struct GraphMlFile {
    /// The links; their ids are those of the nodes, in the order of the file.
    pub links: LinkTable,
    /// The data of the nodes, encoded like a table; `None` if there are none.
    pub attributes: Option<AttributeTable>,
}

impl Parser<'_> {
    /// The tables, once the file was read to its end.
    pub(super) fn finish(self) -> Result<GraphMlFile, ReadError> {
        let path = self.path;
        if !self.levels.is_empty() || self.graphs == 0 {
            let found = if self.graphs == 0 { "no graph" } else { "the end inside a tag" };
            return Err(self.malformed(found, "a whole <graphml> with a <graph>"));
        }
        if self.nodes.is_empty() {
            return Err(ReadError::empty(path, EXPECTED));
        }
        let mut index: HashMap<&str, u32> = HashMap::new();
        let mut names = NamesBuilder::default();
        for ((id, line), at) in self.nodes.iter().zip(0u32..) {
            names.push(id);
            if let Some(first) = index.insert(id, at) {
                let first = Place::Line(self.nodes[first as usize].1);
                return Err(ReadError::duplicate_id(path, id, first, Place::Line(*line)));
            }
        }
        let nodes = names.unique();
        let links = self.link_table(nodes.clone(), &index)?;
        let attributes = self.table()?;
        Ok(GraphMlFile { links, attributes })
    }

    fn link_table(&self, nodes: Nodes, index: &HashMap<&str, u32>) -> Result<LinkTable, ReadError> {
        let path = self.path;
        let default = self.keys.values().find(|key| key.for_links && is_weight(key));
        let default = default.and_then(|key| key.default.as_deref());
        let mut entries = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let place = Place::Line(link.line);
            let mut ends = [0; 2];
            for (end, id) in ends.iter_mut().zip(&link.ends) {
                *end = *index.get(id.as_str()).ok_or_else(|| {
                    let found = format!("an edge to {}", excerpt(id.as_bytes()));
                    let remedy = "add the node, or leave out the edge";
                    let expected = "ids of nodes of the file";
                    ReadError::malformed(path, place.clone(), found, expected, remedy)
                })?;
            }
            let weight = match link.weight.as_deref().or(default) {
                None => 1.0,
                Some(text) => match text.parse::<f64>() {
                    Ok(weight) if weight.is_finite() => weight,
                    _ => {
                        let found = format!("the weight {}", excerpt(text.as_bytes()));
                        let remedy = "write the weight as a decimal number";
                        let expected = "a finite number";
                        return Err(ReadError::malformed(path, place, found, expected, remedy));
                    }
                },
            };
            entries.push((key(ends[0], ends[1]), weight));
            if link.undirected && ends[0] != ends[1] {
                entries.push((key(ends[1], ends[0]), weight));
            }
        }
        let semantics = match self.links.iter().all(|link| link.undirected) {
            true => EdgeSemantics::Matrix,
            false => EdgeSemantics::Arcs,
        };
        let count = nodes.len();
        let (links, repeats) = from_entries(count, count, entries)
            .map_err(|error| sparse_error(path, Place::File, error))?;
        let mut warnings: Vec<Note> = repeated(path, repeats).into_iter().collect();
        if self.ignored > 0 {
            let text =
                format!("{} data of edges are left out; only `weight` is read", self.ignored);
            warnings.push(format!("{}: {text}", path.display()).into());
        }
        Ok(LinkTable { warnings, ..LinkTable::new(Some(nodes), links, semantics) })
    }

    fn table(&self) -> Result<Option<AttributeTable>, ReadError> {
        if self.cells.is_empty() {
            return Ok(None);
        }
        let width = self.columns.len() + 1;
        let at: HashMap<&str, usize> = self.columns.iter().map(String::as_str).zip(1..).collect();
        let mut rows: Vec<Vec<&str>> = Vec::with_capacity(self.nodes.len());
        let defaults: Vec<&str> = std::iter::once("")
            .chain(self.columns.iter().map(|id| self.keys[id].default.as_deref().unwrap_or("")))
            .collect();
        for (id, _) in &self.nodes {
            let mut row = defaults.clone();
            row[0] = id;
            rows.push(row);
        }
        for (node, id, text) in &self.cells {
            rows[*node][at[id.as_str()]] = text;
        }
        let names = std::iter::once("id".to_owned())
            .chain(self.columns.iter().map(|id| self.keys[id].name.clone()))
            .collect::<Vec<_>>();
        debug_assert_eq!(names.len(), width);
        let lines = self.nodes.iter().map(|node| node.1).collect();
        let origin = Origin::from(self.path);
        let options = TableOptions { columns: self.options, like: None };
        let schema = TableSchema::with_ids(&origin, names, &options)?;
        match read_rows(&origin, &MemoryRows { rows, lines }, schema, None) {
            Ok(table) => Ok(Some(table)),
            // Data that say nothing, such as a name for each node, are no attributes.
            Err(error)
                if matches!(error.kind(), ReadErrorKind::Malformed)
                    && error.place() == Some(&Place::File) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

struct MemoryRows<'a> {
    rows: Vec<Vec<&'a str>>,
    lines: Vec<u64>,
}

impl Rows for MemoryRows<'_> {
    fn for_each(&self, each: &mut EachRow<'_>) -> Result<(), ReadError> {
        let mut cells = Vec::new();
        for (row, &line) in self.rows.iter().zip(&self.lines) {
            cells.clear();
            cells.extend(row.iter().map(|&cell| std::borrow::Cow::Borrowed(cell)));
            each(line, &cells)?;
        }
        Ok(())
    }
}
