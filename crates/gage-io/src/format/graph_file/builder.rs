//! What the parsers of graph files fill: nodes, data of nodes, links and weights of links.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;

use crate::error::{Place, ReadError};
use crate::reading::ColumnOptions;
use crate::table::column_names::WEIGHT_NAMES;

/// How messages name the places of nodes and links.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Places {
    /// By the line they stand on.
    Lines,
    /// By their number in the list of nodes or links, for formats without lines.
    Numbers,
}

/// A node or a link, and where it stands.
#[derive(Clone, Copy)]
pub(super) enum At {
    Node(u64),
    Link(u64),
}

/// A node by number, in the order in which ids appear.
pub(super) struct NodeDraft {
    pub(super) id: Rc<str>,
    /// what the node is called, where a format has names beside ids
    pub(super) name: Option<Box<str>>,
    /// where it was declared, and where it was first mentioned
    pub(super) declared: Option<u64>,
    pub(super) mentioned: At,
}

/// A column of data of nodes.
pub(super) struct ColumnDraft {
    pub(super) name: String,
    /// the value of nodes without one
    pub(super) default: Option<String>,
}

/// A value of a node.
pub(super) struct Cell {
    pub(super) node: u32,
    pub(super) column: u32,
    pub(super) text: Box<str>,
}

/// A link between two nodes by number.
pub(super) struct LinkDraft {
    pub(super) ends: [u32; 2],
    /// whether the link has a direction, if it says so itself
    pub(super) directed: Option<bool>,
    pub(super) at: u64,
}

/// A weight a link may have: the place of its name among the names of weights, and the text.
pub(super) struct WeightDraft {
    pub(super) link: u32,
    pub(super) rank: usize,
    pub(super) text: Box<str>,
}

/// A graph file so far.
pub(super) struct GraphFileBuilder<'a> {
    pub(super) path: &'a Path,
    /// what is said about data of nodes
    pub(super) options: &'a ColumnOptions,
    pub(super) expected: &'static str,
    places: Places,
    /// whether links have a direction that do not say it themselves, if the file says so
    pub(super) directed: Option<bool>,
    /// whether names that are given to all nodes and differ are their ids
    pub(super) names_are_ids: bool,
    index: HashMap<Rc<str>, u32>,
    pub(super) nodes: Vec<NodeDraft>,
    /// declared nodes in the order of the file
    pub(super) order: Vec<u32>,
    pub(super) columns: Vec<ColumnDraft>,
    column_index: HashMap<String, u32>,
    pub(super) cells: Vec<Cell>,
    pub(super) links: Vec<LinkDraft>,
    pub(super) weights: Vec<WeightDraft>,
    /// data that are left out: of links and of nodes, by name
    pub(super) ignored_of_links: BTreeMap<String, usize>,
    pub(super) ignored_of_nodes: BTreeMap<String, usize>,
    /// what else there is to say
    pub(super) remarks: Vec<String>,
}

impl<'a> GraphFileBuilder<'a> {
    pub(super) fn new(
        path: &'a Path,
        expected: &'static str,
        places: Places,
        options: &'a ColumnOptions,
    ) -> Self {
        GraphFileBuilder {
            path,
            options,
            expected,
            places,
            directed: None,
            names_are_ids: false,
            index: HashMap::new(),
            nodes: Vec::new(),
            order: Vec::new(),
            columns: Vec::new(),
            column_index: HashMap::new(),
            cells: Vec::new(),
            links: Vec::new(),
            weights: Vec::new(),
            ignored_of_links: BTreeMap::new(),
            ignored_of_nodes: BTreeMap::new(),
            remarks: Vec::new(),
        }
    }

    /// The place of a node or a link, for messages.
    pub(super) fn place(&self, at: At) -> Place {
        match (self.places, at) {
            (Places::Lines, At::Node(line) | At::Link(line)) => Place::Line(line),
            (Places::Numbers, At::Node(number)) => Place::entry(format!("nodes[{number}]")),
            (Places::Numbers, At::Link(number)) => Place::entry(format!("links[{number}]")),
        }
    }

    /// Whether messages name lines.
    pub(super) fn has_lines(&self) -> bool {
        self.places == Places::Lines
    }

    /// The number of an id, which may be new.
    fn number(&mut self, id: &str, at: At) -> Result<u32, ReadError> {
        if let Some(&number) = self.index.get(id) {
            return Ok(number);
        }
        let Some(number) = u32::try_from(self.nodes.len()).ok().filter(|&n| n < u32::MAX) else {
            let (place, remedy) = (self.place(at), "split the graph");
            let expected = "at most 2^32";
            return Err(ReadError::too_large(self.path, place, "more nodes", expected, remedy));
        };
        let id: Rc<str> = id.into();
        let (name, declared) = (None, None);
        self.nodes.push(NodeDraft { id: id.clone(), name, declared, mentioned: at });
        self.index.insert(id, number);
        Ok(number)
    }

    /// Declares a node.
    pub(super) fn node(&mut self, id: &str, at: u64) -> Result<u32, ReadError> {
        let number = self.number(id, At::Node(at))?;
        let node = &mut self.nodes[number as usize];
        if let Some(first) = node.declared.replace(at) {
            let [first, second] = [first, at].map(|at| self.place(At::Node(at)));
            return Err(ReadError::duplicate_id(self.path, id, first, second));
        }
        self.order.push(number);
        Ok(number)
    }

    /// Whether a node was declared.
    pub(super) fn is_declared(&self, id: &str) -> bool {
        self.index.get(id).is_some_and(|&number| self.nodes[number as usize].declared.is_some())
    }

    /// What a node is called.
    pub(super) fn name(&mut self, node: u32, name: &str) {
        self.nodes[node as usize].name = Some(name.into());
    }

    /// The column of data of this name.
    pub(super) fn column(&mut self, name: &str) -> u32 {
        if let Some(&at) = self.column_index.get(name) {
            return at;
        }
        let at = self.new_column(name.to_owned());
        self.column_index.insert(name.to_owned(), at);
        at
    }

    /// A column of its own, for formats in which columns have ids beside their names.
    pub(super) fn new_column(&mut self, name: String) -> u32 {
        self.columns.push(ColumnDraft { name, default: None });
        self.columns.len() as u32 - 1
    }

    /// A value of a node.
    pub(super) fn cell(&mut self, node: u32, column: u32, text: &str) {
        self.cells.push(Cell { node, column, text: text.into() });
    }

    /// A link; `directed` if it says so itself.
    pub(super) fn link(
        &mut self,
        ends: [&str; 2],
        directed: Option<bool>,
        at: u64,
    ) -> Result<(), ReadError> {
        let source = self.number(ends[0], At::Link(at))?;
        let target = self.number(ends[1], At::Link(at))?;
        self.links.push(LinkDraft { ends: [source, target], directed, at });
        Ok(())
    }

    /// Data of the link that was added last: a weight if they are called like one.
    pub(super) fn link_data(&mut self, name: &str, text: &str) {
        let link = self.links.len().saturating_sub(1) as u32;
        match weight_rank(name) {
            Some(_) if text.is_empty() => {}
            Some(rank) => self.weights.push(WeightDraft { link, rank, text: text.into() }),
            None => self.ignore_link_data(name),
        }
    }

    /// Data of a link that are left out.
    pub(super) fn ignore_link_data(&mut self, name: &str) {
        *self.ignored_of_links.entry(name.to_owned()).or_default() += 1;
    }

    /// Data of a node that are left out.
    pub(super) fn ignore_node_data(&mut self, name: &str) {
        *self.ignored_of_nodes.entry(name.to_owned()).or_default() += 1;
    }

    /// A file that says something wrong.
    pub(super) fn malformed(
        &self,
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> ReadError {
        let remedy = "write the file again, for instance with networkx or igraph";
        ReadError::malformed(self.path, place, found, expected, remedy)
    }

    /// A file that is more than one graph of nodes and links.
    pub(super) fn unsupported(&self, place: Place, found: &str) -> ReadError {
        let remedy = "leave it out, or write the links as an edge list";
        ReadError::unsupported(self.path, place, found, "one graph of nodes and edges", remedy)
    }
}

/// The place of a name among the names of weights.
pub(super) fn weight_rank(name: &str) -> Option<usize> {
    WEIGHT_NAMES.iter().position(|known| name.eq_ignore_ascii_case(known))
}
