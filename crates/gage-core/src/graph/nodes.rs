//! Names of the nodes, in a fixed order.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

use thiserror::Error;

use crate::hint::Hint;
use gage_linalg::random::{hash_bytes, mix};

/// Why names cannot name nodes.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodesError {
    /// One name for two nodes.
    #[error("node id `{id}` stands twice, at positions {first} and {second}")]
    Duplicate {
        /// the id
        id: String,
        /// first position
        first: usize,
        /// second position
        second: usize,
    },
    /// Nodes without names behind nodes that have some.
    #[error("{count} nodes have no names, and the nodes before them have")]
    Unnamed {
        /// how many
        count: usize,
    },
}

impl NodesError {
    /// What to do about it.
    pub fn hint(&self) -> Hint {
        match self {
            NodesError::Duplicate { .. } => "ids must be unique".into(),
            NodesError::Unnamed { .. } => "give the names of all nodes".into(),
        }
    }
}

/// The nodes: numbered `0..n`, or named by unique strings. Order is kept, never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    count: usize,
    /// Where these nodes are among all, and how many all are: of one of several workers.
    part: Option<Box<(usize, usize)>>,
    names: Option<Names>,
}

/// All names in one string; name `i` is `ends[i - 1]..ends[i]`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Names {
    text: String,
    ends: Vec<u64>,
}

/// Collects names that are known to be unique.
#[derive(Default)]
pub struct NamesBuilder {
    text: String,
    ends: Vec<u64>,
}

impl NamesBuilder {
    /// Appends a name.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len() as u64);
    }

    /// Appends a number as its decimal name.
    pub fn push_number(&mut self, number: u32) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{number}");
        self.ends.push(self.text.len() as u64);
    }

    /// The nodes; that their names are unique is the word of the caller.
    pub fn unique(self) -> Nodes {
        let NamesBuilder { text, ends } = self;
        Nodes { count: ends.len(), part: None, names: Some(Names { text, ends }) }
    }
}

impl Nodes {
    /// Nodes without names: their id is their position.
    pub fn numbered(count: usize) -> Nodes {
        Nodes { count, part: None, names: None }
    }

    /// Nodes with unique names.
    pub fn named<S: AsRef<str>>(ids: impl IntoIterator<Item = S>) -> Result<Nodes, NodesError> {
        let mut names = Names { text: String::new(), ends: Vec::new() };
        for id in ids {
            names.text.push_str(id.as_ref());
            names.ends.push(names.text.len() as u64);
        }
        let nodes = Nodes { count: names.ends.len(), part: None, names: Some(names) };
        let mut seen = HashMap::with_capacity(nodes.count);
        for node in 0..nodes.count {
            let name = nodes.name(node).unwrap_or_default();
            if let Some(first) = seen.insert(name, node) {
                return Err(NodesError::Duplicate { id: name.to_owned(), first, second: node });
            }
        }
        drop(seen);
        Ok(nodes)
    }

    /// These nodes and then others. Numbered nodes are numbered on; where only the others have
    /// names, numbers become names.
    pub fn followed_by(&self, others: &Nodes) -> Result<Nodes, NodesError> {
        match (self.is_named(), others.is_named()) {
            (false, false) => Ok(Nodes::numbered(self.count + others.count)),
            (true, false) => Err(NodesError::Unnamed { count: others.count }),
            (_, true) => Nodes::named(self.borrowed_ids().chain(others.borrowed_ids())),
        }
    }

    /// The same nodes as the part of all nodes that begins at `first`. Numbered nodes are numbered
    /// from there.
    #[must_use]
    pub fn as_part(self, first: usize, all: usize) -> Nodes {
        Nodes { part: Some(Box::new((first, all))), ..self }
    }

    /// The position of the first of these nodes among all.
    pub fn first(&self) -> usize {
        self.part.as_ref().map_or(0, |part| part.0)
    }

    /// Number of all nodes, of which these may be a part.
    pub fn all(&self) -> usize {
        self.part.as_ref().map_or(self.count, |part| part.1)
    }

    /// Some of the nodes, as part of all.
    pub fn part(&self, range: Range<usize>) -> Nodes {
        let (first, all) = (self.first() + range.start, self.all());
        let nodes = match &self.names {
            None => Nodes::numbered(range.len()),
            Some(_) => {
                let mut names = NamesBuilder::default();
                range.for_each(|node| names.push(self.name(node).unwrap_or_default()));
                names.unique()
            }
        };
        nodes.as_part(first, all)
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether the nodes have names of their own.
    pub fn is_named(&self) -> bool {
        self.names.is_some()
    }

    /// The name of a node, if the nodes are named.
    pub fn name(&self, node: usize) -> Option<&str> {
        let names = self.names.as_ref()?;
        let start = if node == 0 { 0 } else { names.ends[node - 1] as usize };
        Some(&names.text[start..names.ends[node] as usize])
    }

    /// The id of a node as text: its name, or its number.
    pub fn id(&self, node: usize) -> String {
        self.name(node).map_or_else(|| node.to_string(), str::to_owned)
    }

    /// All ids, in order.
    pub fn ids(&self) -> impl Iterator<Item = String> + '_ {
        self.borrowed_ids().map(Cow::into_owned)
    }

    /// All ids, in order, without a copy of those that are names.
    pub fn borrowed_ids(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.count).map(|node| {
            let number = || (self.first() + node).to_string().into();
            self.name(node).map_or_else(number, Cow::Borrowed)
        })
    }

    /// A table from name to position; empty for numbered nodes.
    pub fn index(&self) -> HashMap<&str, u32> {
        (0..self.count).filter_map(|node| Some((self.name(node)?, node as u32))).collect()
    }

    /// The position of one id (a name, or a number for numbered nodes). Cost O(n).
    pub fn find(&self, id: &str) -> Option<usize> {
        if self.names.is_none() {
            // Only the usual form, lest `7` and `007` be one node.
            let node = id.parse().ok().filter(|node: &usize| node.to_string() == id);
            return node.filter(|&node| node < self.count);
        }
        (0..self.count).find(|&node| self.name(node) == Some(id))
    }

    /// A key of the node that depends on its id, not on its position; reordering named nodes keeps
    /// it.
    pub(crate) fn key(&self, node: usize) -> u64 {
        self.name(node)
            .map_or_else(|| mix((self.first() + node) as u64), |name| hash_bytes(name.as_bytes()))
    }

    /// All names in one text with the end of each, for saving; `None` for numbered nodes.
    pub fn as_text(&self) -> Option<(&str, &[u64])> {
        self.names.as_ref().map(|names| (names.text.as_str(), names.ends.as_slice()))
    }

    /// Bytes the names take.
    pub fn bytes(&self) -> usize {
        self.names.as_ref().map_or(0, |names| names.text.len() + 8 * names.ends.len())
    }
}
