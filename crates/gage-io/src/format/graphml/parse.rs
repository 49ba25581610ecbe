//! The state of a GraphML file while its tags are read.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

use crate::error::{Place, ReadError};
use crate::reading::ColumnOptions;
use crate::text::lines::MAX_LINE_BYTES;

const REMEDY: &str = "write the file again, for instance with networkx.write_graphml";

/// What data of nodes or links mean.
pub(super) struct Key {
    pub(super) name: String,
    for_nodes: bool,
    pub(super) for_links: bool,
    pub(super) default: Option<String>,
}

/// The element whose content is read.
pub(super) enum Level {
    Graph,
    Key(String),
    Default(String),
    Node,
    Link,
    Data(String),
    Other,
}

pub(super) struct Link {
    pub(super) ends: [String; 2],
    pub(super) undirected: bool,
    pub(super) weight: Option<String>,
    pub(super) line: u64,
}

pub(super) struct Parser<'a> {
    pub(super) path: &'a Path,
    pub(super) line: Rc<Cell<u64>>,
    pub(super) levels: Vec<Level>,
    pub(super) graphs: usize,
    pub(super) undirected: bool,
    pub(super) keys: HashMap<String, Key>,
    /// keys of nodes in order of appearance, and the column of each
    pub(super) columns: Vec<String>,
    pub(super) nodes: Vec<(String, u64)>,
    /// cells of the nodes: node, key, text
    pub(super) cells: Vec<(usize, String, String)>,
    pub(super) links: Vec<Link>,
    pub(super) ignored: usize,
    text: String,
    /// what is said about data of nodes
    pub(super) options: &'a ColumnOptions,
}

impl<'a> Parser<'a> {
    /// A parser that reads the current line of the file from `line`.
    pub(super) fn new(
        path: &'a Path,
        line: Rc<Cell<u64>>,
        options: &'a ColumnOptions,
    ) -> Parser<'a> {
        Parser {
            path,
            line,
            levels: Vec::new(),
            graphs: 0,
            undirected: false,
            keys: HashMap::new(),
            columns: Vec::new(),
            nodes: Vec::new(),
            cells: Vec::new(),
            links: Vec::new(),
            ignored: 0,
            text: String::new(),
            options,
        }
    }

    pub(super) fn malformed(&self, found: impl Into<String>, expected: &str) -> ReadError {
        ReadError::malformed(self.path, Place::Line(self.line.get()), found, expected, REMEDY)
    }

    fn refuse(&self, found: &str) -> ReadError {
        let remedy = "leave them out, or write the links as an edge list";
        let expected = "one graph of nodes and edges";
        ReadError::unsupported(self.path, Place::Line(self.line.get()), found, expected, remedy)
    }

    /// The attributes of a tag by name.
    fn attributes(&self, tag: &BytesStart<'_>) -> Result<HashMap<String, String>, ReadError> {
        let mut all = HashMap::new();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|e| self.malformed(e.to_string(), "attributes"))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| self.malformed(error.to_string(), "a value"))?;
            all.insert(attribute.key.as_ref().to_owned(), value.into_owned());
        }
        Ok(all)
    }

    /// Removes and returns an attribute that a tag must have.
    fn required(
        &self,
        attributes: &mut HashMap<String, String>,
        tag: &str,
        what: &str,
    ) -> Result<String, ReadError> {
        attributes
            .remove(what)
            .ok_or_else(|| self.malformed(format!("<{tag}> without `{what}`"), "one"))
    }

    pub(super) fn open(&mut self, tag: &BytesStart<'_>) -> Result<(), ReadError> {
        let name = tag.local_name().as_ref().to_owned();
        let mut attributes = self.attributes(tag)?;
        self.text.clear();
        let level = match (name.as_str(), self.levels.last()) {
            ("graph", Some(Level::Node)) => return Err(self.refuse("a graph inside a node")),
            ("hyperedge", _) => return Err(self.refuse("a hyperedge")),
            ("graph", _) => {
                self.graphs += 1;
                if self.graphs > 1 {
                    return Err(self.refuse("a second graph"));
                }
                let direction = self.required(&mut attributes, &name, "edgedefault")?;
                self.undirected = direction == "undirected";
                Level::Graph
            }
            ("key", _) => Level::Key(self.open_key(attributes)?),
            ("default", Some(Level::Key(id))) => Level::Default(id.clone()),
            ("node", Some(Level::Graph)) => {
                let id = self.required(&mut attributes, &name, "id")?;
                self.nodes.push((id, self.line.get()));
                Level::Node
            }
            ("edge", Some(Level::Graph)) => {
                self.open_edge(attributes)?;
                Level::Link
            }
            ("data", Some(Level::Node | Level::Link)) => {
                Level::Data(self.required(&mut attributes, &name, "key")?)
            }
            _ => Level::Other,
        };
        self.levels.push(level);
        Ok(())
    }

    /// A key is declared; returns its id.
    fn open_key(&mut self, mut attributes: HashMap<String, String>) -> Result<String, ReadError> {
        let id = self.required(&mut attributes, "key", "id")?;
        let kind = attributes.remove("for").unwrap_or_else(|| "all".to_owned());
        let name = attributes.remove("attr.name").unwrap_or_else(|| id.clone());
        let all = kind == "all";
        let (for_nodes, for_links) = (all || kind == "node", all || kind == "edge");
        if for_nodes {
            self.columns.push(id.clone());
        }
        let key = Key { name, for_nodes, for_links, default: None };
        if self.keys.insert(id.clone(), key).is_some() {
            return Err(self.malformed(format!("the key `{id}` twice"), "each key once"));
        }
        Ok(id)
    }

    fn open_edge(&mut self, mut attributes: HashMap<String, String>) -> Result<(), ReadError> {
        let source = self.required(&mut attributes, "edge", "source")?;
        let target = self.required(&mut attributes, "edge", "target")?;
        let undirected = match attributes.get("directed").map(String::as_str) {
            Some(directed) => directed == "false",
            None => self.undirected,
        };
        let line = self.line.get();
        self.links.push(Link { ends: [source, target], undirected, weight: None, line });
        Ok(())
    }

    pub(super) fn text(&mut self, text: &str) -> Result<(), ReadError> {
        if matches!(self.levels.last(), Some(Level::Data(_) | Level::Default(_))) {
            self.text.push_str(text);
            if self.text.len() > MAX_LINE_BYTES {
                return Err(self.malformed("a text beyond all bounds", "a shorter one"));
            }
        }
        Ok(())
    }

    pub(super) fn close(&mut self) -> Result<(), ReadError> {
        let text = self.text.trim().to_owned();
        match self.levels.pop() {
            Some(Level::Default(id)) => {
                if let Some(key) = self.keys.get_mut(&id) {
                    key.default = Some(text);
                }
            }
            Some(Level::Data(id)) => {
                let Some(key) = self.keys.get(&id) else {
                    return Err(self.malformed(format!("data of `{id}`"), "a key of this id"));
                };
                match self.levels.last() {
                    Some(Level::Node) if key.for_nodes => {
                        self.cells.push((self.nodes.len() - 1, id, text));
                    }
                    Some(Level::Link) if key.for_links && is_weight(key) => {
                        self.links.iter_mut().next_back().into_iter().for_each(|link| {
                            link.weight = Some(text.clone());
                        });
                    }
                    _ => self.ignored += 1,
                }
            }
            _ => {}
        }
        self.text.clear();
        Ok(())
    }
}

pub(super) fn is_weight(key: &Key) -> bool {
    key.name.eq_ignore_ascii_case("weight")
}
