//! GraphML: nodes, links and their data in XML.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use gage_core::graph::{NamesBuilder, Nodes};

use crate::contents::{AttributeTable, EdgeSemantics, LinkTable, repeated};
use crate::error::{Origin, Place, ReadError, ReadErrorKind, excerpt};
use crate::source::open;
use crate::sparse_builder::{from_entries, key, sparse_error};
use crate::table::encode::{EachRow, Rows, read_rows};
use crate::table::schema::TableSchema;
use crate::text::lines::MAX_LINE_BYTES;

const EXPECTED: &str = "a GraphML file";
const REMEDY: &str = "write the file again, for instance with networkx.write_graphml";

/// What a GraphML file holds.
#[derive(Clone, Debug)]
pub struct GraphMlFile {
    /// The links; their ids are those of the nodes, in the order of the file.
    pub links: LinkTable,
    /// The data of the nodes, encoded like a table; `None` if there are none.
    pub attributes: Option<AttributeTable>,
}

/// Reads a GraphML file (`.graphml`, perhaps `.gz` or `.zst`): one graph with its nodes and links.
/// Data of nodes become an attribute table by the rules of text tables; data of links called
/// `weight` are their weights. Links are undirected if the graph or the link says so. Nested graphs
/// and hyperedges are refused.
pub fn read_graphml(path: impl AsRef<Path>) -> Result<GraphMlFile, ReadError> {
    let path = path.as_ref();
    let source = open(path, EXPECTED)?;
    let inner = source.reader().map_err(|error| ReadError::from_io(path, Place::Byte(0), error))?;
    let (line, left) = (Rc::new(Cell::new(1)), Rc::new(Cell::new(0)));
    let counted = Counted { inner: BufReader::new(inner), line: line.clone(), left: left.clone() };
    let mut reader = Reader::from_reader(counted);
    let mut parser = Parser { path, line: line.clone(), ..Parser::new(path) };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        // What no line of text may exceed, no tag or text may either.
        left.set(MAX_LINE_BYTES);
        let event = reader.read_event_into(&mut buffer).map_err(|error| match error {
            quick_xml::Error::Io(error) => {
                let error = io::Error::new(error.kind(), error.to_string());
                ReadError::from_io(path, Place::Line(line.get()), error)
            }
            other => parser.malformed(other.to_string(), "XML"),
        })?;
        match event {
            Event::Start(tag) => parser.open(&tag)?,
            Event::Empty(tag) => {
                parser.open(&tag)?;
                parser.close()?;
            }
            Event::End(_) => parser.close()?,
            Event::Text(text) => parser.text(&text.xml10_content())?,
            Event::CData(text) => parser.text(&text.xml10_content())?,
            Event::GeneralRef(entity) => {
                let number = entity.resolve_char_ref();
                let number = number.map_err(|e| parser.malformed(e.to_string(), "a character"))?;
                let name = entity.xml10_content();
                match (number, quick_xml::escape::resolve_predefined_entity(&name)) {
                    (Some(letter), _) => parser.text(letter.encode_utf8(&mut [0; 4]))?,
                    (None, Some(text)) => parser.text(text)?,
                    (None, None) => {
                        let found = format!("the entity {}", excerpt(name.as_bytes()));
                        return Err(parser.malformed(found, "text without entities of its own"));
                    }
                }
            }
            Event::Eof => return parser.finish(),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

/// Counts lines, and lets no single tag or text grow without bound.
struct Counted<R> {
    inner: R,
    line: Rc<Cell<u64>>,
    left: Rc<Cell<usize>>,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let got = self.fill_buf()?.len().min(out.len());
        out[..got].copy_from_slice(&self.inner.fill_buf()?[..got]);
        self.consume(got);
        Ok(got)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left.get() == 0 {
            let text = format!("a tag or text beyond {MAX_LINE_BYTES} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        let lines = self.inner.fill_buf().map_or(0, |buffer| {
            buffer[..amount.min(buffer.len())].iter().filter(|&&byte| byte == b'\n').count()
        });
        self.line.set(self.line.get() + lines as u64);
        self.left.set(self.left.get().saturating_sub(amount));
        self.inner.consume(amount);
    }
}

/// What data of nodes or links mean.
struct Key {
    name: String,
    for_nodes: bool,
    for_links: bool,
    default: Option<String>,
}

/// Where in the file we are.
enum Level {
    Graph,
    Key(String),
    Default(String),
    Node,
    Link,
    Data(String),
    Other,
}

struct Link {
    ends: [String; 2],
    undirected: bool,
    weight: Option<String>,
    line: u64,
}

struct Parser<'a> {
    path: &'a Path,
    line: Rc<Cell<u64>>,
    levels: Vec<Level>,
    graphs: usize,
    undirected: bool,
    keys: HashMap<String, Key>,
    /// keys of nodes in order of appearance, and the column of each
    columns: Vec<String>,
    nodes: Vec<(String, u64)>,
    /// cells of the nodes: node, key, text
    cells: Vec<(usize, String, String)>,
    links: Vec<Link>,
    ignored: usize,
    text: String,
}

impl<'a> Parser<'a> {
    fn new(path: &'a Path) -> Parser<'a> {
        Parser {
            path,
            line: Rc::default(),
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
        }
    }

    fn malformed(&self, found: impl Into<String>, expected: &str) -> ReadError {
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

    fn open(&mut self, tag: &BytesStart<'_>) -> Result<(), ReadError> {
        let name = tag.local_name().as_ref().to_owned();
        let mut attributes = self.attributes(tag)?;
        let (path, place) = (self.path, Place::Line(self.line.get()));
        let mut required = |what: &str| {
            attributes.remove(what).ok_or_else(|| {
                let found = format!("<{name}> without `{what}`");
                ReadError::malformed(path, place.clone(), found, "one", REMEDY)
            })
        };
        self.text.clear();
        let inside = self.levels.last();
        let level = match (name.as_str(), inside) {
            ("graph", Some(Level::Node)) => return Err(self.refuse("a graph inside a node")),
            ("hyperedge", _) => return Err(self.refuse("a hyperedge")),
            ("graph", _) => {
                self.graphs += 1;
                if self.graphs > 1 {
                    return Err(self.refuse("a second graph"));
                }
                self.undirected = required("edgedefault")? == "undirected";
                Level::Graph
            }
            ("key", _) => {
                let id = required("id")?;
                let kind = attributes.remove("for").unwrap_or_else(|| "all".to_owned());
                let name = attributes.remove("attr.name").unwrap_or_else(|| id.clone());
                let (all, default) = (kind == "all", None);
                let (for_nodes, for_links) = (all || kind == "node", all || kind == "edge");
                if for_nodes {
                    self.columns.push(id.clone());
                }
                let key = Key { name, for_nodes, for_links, default };
                if self.keys.insert(id.clone(), key).is_some() {
                    return Err(self.malformed(format!("the key `{id}` twice"), "each key once"));
                }
                Level::Key(id)
            }
            ("default", Some(Level::Key(id))) => Level::Default(id.clone()),
            ("node", Some(Level::Graph)) => {
                let id = required("id")?;
                self.nodes.push((id, self.line.get()));
                Level::Node
            }
            ("edge", Some(Level::Graph)) => {
                let ends = [required("source")?, required("target")?];
                let undirected = match attributes.get("directed").map(String::as_str) {
                    Some(directed) => directed == "false",
                    None => self.undirected,
                };
                let line = self.line.get();
                self.links.push(Link { ends, undirected, weight: None, line });
                Level::Link
            }
            ("data", Some(Level::Node | Level::Link)) => Level::Data(required("key")?),
            _ => Level::Other,
        };
        self.levels.push(level);
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), ReadError> {
        if matches!(self.levels.last(), Some(Level::Data(_) | Level::Default(_))) {
            self.text.push_str(text);
            if self.text.len() > MAX_LINE_BYTES {
                return Err(self.malformed("a text beyond all bounds", "a shorter one"));
            }
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), ReadError> {
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

    fn finish(self) -> Result<GraphMlFile, ReadError> {
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
        let mut warnings: Vec<String> = repeated(path, repeats).into_iter().collect();
        if self.ignored > 0 {
            let text =
                format!("{} data of edges are left out; only `weight` is read", self.ignored);
            warnings.push(format!("{}: {text}", path.display()));
        }
        Ok(LinkTable { ids: Some(nodes), links, semantics, warnings })
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
        let schema = TableSchema::with_ids(names);
        match read_rows(&Origin::from(self.path), &MemoryRows { rows, lines }, schema, None) {
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

fn is_weight(key: &Key) -> bool {
    key.name.eq_ignore_ascii_case("weight")
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
