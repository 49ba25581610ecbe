//! Node-link JSON: an object with lists of nodes and links, as networkx, d3, Cytoscape, vis.js and
//! graphology write it. The lists are read one object at a time.

use std::fmt;
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::error::{Place, ReadError};
use crate::reading::ColumnOptions;

use super::GraphFile;
use super::bounded::{Bounded, Position};
use super::builder::{GraphFileBuilder, Places};
use super::node_link_value::{Part, Value};

pub(super) const EXPECTED: &str =
    "a graph as JSON: an object with `nodes` and `links` (or `edges`)";
const REMEDY: &str = "write it again, for instance with json.dump(networkx.node_link_data(graph))";

/// Reads node-link JSON. `directed` says whether links have a direction; where it is absent the
/// file does not say so.
pub(super) fn read(path: &Path, options: &ColumnOptions) -> Result<GraphFile, ReadError> {
    let (input, position) = Bounded::open(path, EXPECTED)?;
    let builder = GraphFileBuilder::new(path, EXPECTED, Places::Numbers, options);
    let mut file = NodeLink {
        builder,
        position,
        lists: Vec::new(),
        nodes: 0,
        links: 0,
        without_id: 0,
        text_ends: None,
        error: None,
    };
    let mut json = serde_json::Deserializer::from_reader(input);
    let outcome = Whole(&mut file).deserialize(&mut json).and_then(|()| json.end());
    match (outcome, file.error.take()) {
        (_, Some(error)) => Err(error),
        (Err(error), None) => Err(not_json(path, &error)),
        (Ok(()), None) => file.finish(),
    }
}

fn not_json(path: &Path, error: &serde_json::Error) -> ReadError {
    let place = Place::Line(error.line().max(1) as u64);
    if let Some(kind) = error.io_error_kind() {
        return ReadError::from_io(path, place, std::io::Error::new(kind, error.to_string()));
    }
    let remedy = match error.is_syntax() {
        true => "write it again as JSON; a missing number is null, not NaN",
        false => REMEDY,
    };
    ReadError::malformed(path, place, error.to_string(), EXPECTED, remedy)
}

/// A file while its lists are read.
pub(super) struct NodeLink<'a> {
    pub(super) builder: GraphFileBuilder<'a>,
    position: Position,
    /// names of the lists there are
    lists: Vec<String>,
    pub(super) nodes: u64,
    pub(super) links: u64,
    /// nodes that are known by their position
    pub(super) without_id: u64,
    /// the first end of a link that is no whole number
    pub(super) text_ends: Option<String>,
    /// an error of the content, which the JSON library cannot carry
    error: Option<ReadError>,
}

impl NodeLink<'_> {
    /// Keeps an error and stops the parser.
    fn stop<E: Error>(&mut self, error: ReadError) -> E {
        self.error = Some(error);
        E::custom("stopped")
    }

    pub(super) fn malformed(
        &self,
        place: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> ReadError {
        ReadError::malformed(self.builder.path, Place::entry(place), found, expected, REMEDY)
    }

    /// A list of the file begins. Two lists of one kind are two readings.
    fn list(&mut self, name: &str) -> Result<(), ReadError> {
        let kind = |name: &str| name == "nodes";
        if let Some(other) = self.lists.iter().find(|other| kind(other) == kind(name)) {
            let found = format!("`{other}` and `{name}`");
            let remedy = "leave one of the two lists out";
            let (place, expected) = (Place::File, "one list of nodes and one of links");
            let path = self.builder.path;
            return Err(ReadError::malformed(path, place, found, expected, remedy));
        }
        self.lists.push(name.to_owned());
        Ok(())
    }

    fn finish(mut self) -> Result<GraphFile, ReadError> {
        let has = |wanted: bool| self.lists.iter().any(|name| (name == "nodes") == wanted);
        if !has(true) || !has(false) {
            let found = match &self.lists[..] {
                [] => "neither nodes nor links".to_owned(),
                lists => format!("only `{}`", lists.join("`, `")),
            };
            let path = self.builder.path;
            return Err(ReadError::malformed(path, Place::File, found, EXPECTED, REMEDY));
        }
        if self.without_id > 0 {
            self.check_positions()?;
        }
        self.builder.finish()
    }

    /// Nodes without ids are known by their positions, which the ends of links must then be.
    fn check_positions(&mut self) -> Result<(), ReadError> {
        let path = self.builder.path;
        if let Some(end) = &self.text_ends {
            let found = format!("nodes without `id`, and links to {end}");
            let expected = "an `id` in every node, or links between positions in the list";
            let remedy = "give every node an `id`";
            return Err(ReadError::malformed(path, Place::File, found, expected, remedy));
        }
        let text = "nodes have no `id`, so links join positions in the list of nodes";
        self.builder.remarks.push(text.to_owned());
        self.builder.names_are_ids = true;
        let mut named = self.builder.order.iter().zip(0u64..).filter_map(|(&node, at)| {
            let name = self.builder.nodes[node as usize].name.as_deref()?;
            name.parse::<u64>().ok().filter(|&number| number != at)
        });
        if let Some(number) = named.next() {
            let found = format!("nodes without `id` of which one has the name {number}");
            let expected = "links that can be read in one way only";
            let remedy = "give every node an `id`: its position or its name";
            return Err(ReadError::malformed(path, Place::File, found, expected, remedy));
        }
        Ok(())
    }
}

/// The whole file, or the `elements` of Cytoscape in it.
struct Whole<'f, 'a>(&'f mut NodeLink<'a>);

impl<'de> DeserializeSeed<'de> for Whole<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Whole<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `nodes` and `links`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let file = self.0;
        file.position.part();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "nodes" | "links" | "edges" => {
                    let checked = file.list(&name);
                    checked.map_err(|error| file.stop::<A::Error>(error))?;
                    map.next_value_seed(List { file, nodes: name == "nodes" })?;
                }
                "elements" => map.next_value_seed(Whole(file))?,
                "directed" => match map.next_value::<Value>()? {
                    Value::Bool(directed) => file.builder.directed = Some(directed),
                    _ => {
                        let error = file.malformed("directed", "no boolean", "true or false");
                        return Err(file.stop(error));
                    }
                },
                // What graphology says about its links.
                "options" => {
                    if let Some(kind) = map.next_value::<Value>()?.field("type") {
                        file.builder.directed = Some(kind != "undirected");
                    }
                }
                "adjacency" => {
                    let found = "an adjacency list (networkx.adjacency_data)";
                    let (path, place) = (file.builder.path, Place::File);
                    let error = ReadError::unsupported(path, place, found, EXPECTED, REMEDY);
                    return Err(file.stop(error));
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            file.position.part();
        }
        Ok(())
    }
}

/// A list of nodes or of links.
struct List<'f, 'a> {
    file: &'f mut NodeLink<'a>,
    nodes: bool,
}

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of nodes or of links")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let List { file, nodes } = self;
        file.position.part();
        while let Some(part) = seq.next_element::<Part>()? {
            let added = if nodes { file.node(part) } else { file.link(part) };
            added.map_err(|error| file.stop::<A::Error>(error))?;
            file.position.part();
        }
        Ok(())
    }
}
