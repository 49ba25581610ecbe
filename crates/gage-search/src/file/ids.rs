//! Ids in an index: binary search in a sorted table, so that a search reads some twenty of them.

use gage_core::graph::{NamesBuilder, Nodes};

use super::format::Part;
use super::mapped::SearchIndex;
use crate::error::IndexError;

/// Nodes in the order of the bytes of their names.
pub(crate) fn sorted(nodes: &Nodes) -> Vec<u32> {
    use rayon::prelude::*;
    let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
    let name = |node: u32| nodes.name(node as usize).unwrap_or_default();
    order.par_sort_unstable_by(|&a, &b| name(a).cmp(name(b)));
    order
}

impl SearchIndex {
    /// The position of an id (a name, or a number for numbered nodes).
    pub fn find(&self, id: &str) -> Result<Option<usize>, IndexError> {
        let count = self.info().nodes;
        if !self.info().named {
            return Ok(Nodes::numbered(count).find(id));
        }
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            let node = self.words(Part::IdOrder, middle..middle + 1)?[0] as usize;
            match self.name(node)?.as_bytes().cmp(id.as_bytes()) {
                std::cmp::Ordering::Equal => return Ok(Some(node)),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    /// The id of a node.
    pub fn id(&self, node: usize) -> Result<String, IndexError> {
        if self.info().named { self.name(node).map(str::to_owned) } else { Ok(node.to_string()) }
    }

    fn name(&self, node: usize) -> Result<&str, IndexError> {
        let wrong = || IndexError::damaged(format!("the id of node {node} is not a text"));
        if node >= self.info().nodes {
            return Err(IndexError::damaged(format!("an id belongs to node {node}")));
        }
        let start = match node {
            0 => 0,
            _ => self.ends(node - 1..node)?[0],
        };
        let end = self.ends(node..node + 1)?[0];
        let (start, end) = (usize::try_from(start), usize::try_from(end));
        let (Ok(start), Ok(end)) = (start, end) else { return Err(wrong()) };
        if start > end {
            return Err(wrong());
        }
        std::str::from_utf8(self.bytes(Part::IdText, start..end)?).map_err(|_| wrong())
    }

    /// All nodes. Reads every id.
    pub fn nodes(&self) -> Result<Nodes, IndexError> {
        if !self.info().named {
            return Ok(Nodes::numbered(self.info().nodes));
        }
        let mut names = NamesBuilder::default();
        for node in 0..self.info().nodes {
            names.push(self.name(node)?);
        }
        Ok(names.unique())
    }
}
