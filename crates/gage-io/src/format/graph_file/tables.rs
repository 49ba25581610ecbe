//! What was parsed, as links and an attribute table.

use gage_core::graph::{NamesBuilder, Nodes};

use crate::contents::{AttributeTable, EdgeSemantics, LinkTable, repeated};
use crate::error::{Place, ReadError, excerpt};
use crate::note::{Note, first_few};
use crate::sparse_builder::{from_entries, key, sparse_error};
use crate::table::column_names::WEIGHT_NAMES;

use super::builder::{At, GraphFileBuilder};
use super::node_data::node_table;

/// What a graph file holds.
#[derive(Clone, Debug)]
pub struct GraphFile {
    /// The links; their ids are those of the nodes, in the order of the file.
    pub links: LinkTable,
    /// The data of the nodes, encoded like a table; `None` if there are none.
    pub attributes: Option<AttributeTable>,
}

impl GraphFileBuilder<'_> {
    /// The tables, once the file was read to its end.
    pub(super) fn finish(mut self) -> Result<GraphFile, ReadError> {
        if self.order.is_empty() {
            return Err(ReadError::empty(self.path, self.expected));
        }
        // By number of a node, its row.
        let mut rows = vec![u32::MAX; self.nodes.len()];
        for (&number, row) in self.order.iter().zip(0u32..) {
            rows[number as usize] = row;
        }
        if let Some(node) = self.nodes.iter().find(|node| node.declared.is_none()) {
            let found = format!("an edge to {}", excerpt(node.id.as_bytes()));
            let (place, remedy) =
                (self.place(node.mentioned), "add the node, or leave out the edge");
            let expected = "ids of nodes of the file";
            return Err(ReadError::malformed(self.path, place, found, expected, remedy));
        }
        let ids = self.ids();
        let attributes = node_table(&mut self, &ids, &rows)?;
        let links = self.link_table(ids, &rows)?;
        Ok(GraphFile { links, attributes })
    }

    /// The ids of the nodes in the order of the file. Names take the place of ids where the format
    /// means names and they tell all nodes apart; otherwise they become data.
    fn ids(&mut self) -> Nodes {
        let named = |node: &u32| self.nodes[*node as usize].name.as_deref();
        let mut names = NamesBuilder::default();
        if self.names_are_ids {
            let mut seen = std::collections::HashSet::new();
            let mut tell_apart = |name: &str| !name.is_empty() && seen.insert(name.to_owned());
            if self.order.iter().map(named).all(|name| name.is_some_and(&mut tell_apart)) {
                self.order.iter().filter_map(named).for_each(|name| names.push(name));
                self.nodes.iter_mut().for_each(|node| node.name = None);
                return names.unique();
            }
            if self.nodes.iter().any(|node| node.name.is_some()) {
                let text = "the names of nodes are missing or repeat, so nodes have their numbers";
                self.remarks.push(format!("{text} as ids"));
            }
        }
        self.order.iter().for_each(|&node| names.push(&self.nodes[node as usize].id));
        names.unique()
    }

    fn link_table(&mut self, nodes: Nodes, rows: &[u32]) -> Result<LinkTable, ReadError> {
        let weights = self.link_weights()?;
        let directed = |own: Option<bool>| own.or(self.directed);
        let mut entries = Vec::with_capacity(self.links.len());
        for (link, &weight) in self.links.iter().zip(&weights) {
            let [source, target] = link.ends.map(|end| rows[end as usize]);
            entries.push((key(source, target), weight));
            if directed(link.directed) == Some(false) && source != target {
                entries.push((key(target, source), weight));
            }
        }
        let all = |wanted| self.links.iter().all(|link| directed(link.directed) == wanted);
        let semantics = match () {
            () if all(Some(false)) => EdgeSemantics::Matrix,
            () if all(None) => EdgeSemantics::EdgeList,
            () => EdgeSemantics::Arcs,
        };
        let count = nodes.len();
        let (links, repeats) = from_entries(count, count, entries)
            .map_err(|error| sparse_error(self.path, Place::File, error))?;
        let mut warnings: Vec<Note> = repeated(self.path, repeats).into_iter().collect();
        let ignored: Vec<&str> = self.ignored_of_links.keys().map(String::as_str).collect();
        if !ignored.is_empty() {
            let names = first_few(&ignored);
            self.remarks.push(format!("data of edges are left out, except weights: {names}"));
        }
        let say = |text: String| Note::from(format!("{}: {text}", self.path.display()));
        warnings.extend(std::mem::take(&mut self.remarks).into_iter().map(say));
        Ok(LinkTable { warnings, ..LinkTable::new(Some(nodes), links, semantics) })
    }

    /// The weights of all links: the data with the first of the names of weights that occurs.
    fn link_weights(&mut self) -> Result<Vec<f64>, ReadError> {
        let mut weights = vec![1.0; self.links.len()];
        let Some(rank) = self.weights.iter().map(|weight| weight.rank).min() else {
            return Ok(weights);
        };
        let mut without = vec![true; weights.len()];
        for weight in std::mem::take(&mut self.weights) {
            let link = weight.link as usize;
            if weight.rank != rank {
                self.ignore_link_data(WEIGHT_NAMES[weight.rank]);
                continue;
            }
            weights[link] = match weight.text.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => number,
                _ => {
                    let place = self.place(At::Link(self.links[link].at));
                    let found = format!("the weight {}", excerpt(weight.text.as_bytes()));
                    let (expected, remedy) =
                        ("a finite number", "write the weight as a decimal number");
                    return Err(ReadError::malformed(self.path, place, found, expected, remedy));
                }
            };
            without[link] = false;
        }
        let name = WEIGHT_NAMES[rank];
        if name != "weight" {
            self.remarks.push(format!("data `{name}` of edges are taken for their weights"));
        }
        let without = without.iter().filter(|&&without| without).count();
        if without > 0 {
            self.remarks.push(format!("{without} edges have no `{name}` and count 1"));
        }
        Ok(weights)
    }
}
