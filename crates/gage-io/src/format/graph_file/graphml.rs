//! GraphML: nodes, links and their data in XML, declared by keys.

use std::collections::HashMap;
use std::path::Path;

use crate::error::ReadError;
use crate::reading::ColumnOptions;

use super::GraphFile;
use super::builder::{GraphFileBuilder, Places};
use super::xml::{Tag, XmlFile, XmlFormat, read_xml};

pub(super) fn read(path: &Path, options: &ColumnOptions) -> Result<GraphFile, ReadError> {
    let builder = GraphFileBuilder::new(path, "a GraphML file", Places::Lines, options);
    read_xml(builder, GraphMl::default())
}

/// What data of nodes or links mean.
struct Key {
    name: String,
    /// the column of data of nodes
    column: Option<u32>,
    for_links: bool,
    default: Option<String>,
}

/// The element whose content is read.
enum Level {
    Graph,
    Key(String),
    Default(String),
    Node(u32),
    Link,
    Data(String),
    Other,
}

#[derive(Default)]
struct GraphMl {
    levels: Vec<Level>,
    graphs: usize,
    keys: HashMap<String, Key>,
    /// keys of links that the current link has data of
    given: Vec<String>,
}

impl XmlFormat for GraphMl {
    fn open(&mut self, file: &mut XmlFile<'_>, mut tag: Tag) -> Result<(), ReadError> {
        let level = match (tag.name.as_str(), self.levels.last()) {
            ("graph", Some(Level::Node(_))) => {
                return Err(file.unsupported("a graph inside a node"));
            }
            ("hyperedge", _) => return Err(file.unsupported("a hyperedge")),
            ("graph", _) => {
                self.graphs += 1;
                if self.graphs > 1 {
                    return Err(file.unsupported("a second graph"));
                }
                let direction = file.required(&mut tag, "edgedefault")?;
                file.builder.directed = Some(direction != "undirected");
                Level::Graph
            }
            ("key", _) => Level::Key(self.open_key(file, tag)?),
            ("default", Some(Level::Key(id))) => Level::Default(id.clone()),
            ("node", Some(Level::Graph)) => {
                let id = file.required(&mut tag, "id")?;
                let line = file.line();
                Level::Node(file.builder.node(&id, line)?)
            }
            ("edge", Some(Level::Graph)) => {
                let ends = [file.required(&mut tag, "source")?, file.required(&mut tag, "target")?];
                let directed = tag.take("directed").map(|directed| directed != "false");
                let line = file.line();
                file.builder.link([&ends[0], &ends[1]], directed, line)?;
                self.given.clear();
                Level::Link
            }
            ("data", Some(Level::Node(_) | Level::Link)) => {
                Level::Data(file.required(&mut tag, "key")?)
            }
            _ => Level::Other,
        };
        self.levels.push(level);
        Ok(())
    }

    fn close(&mut self, file: &mut XmlFile<'_>, text: &str) -> Result<(), ReadError> {
        match self.levels.pop() {
            Some(Level::Default(id)) => {
                if let Some(key) = self.keys.get_mut(&id) {
                    key.default = Some(text.to_owned());
                    if let Some(column) = key.column {
                        file.builder.columns[column as usize].default = key.default.clone();
                    }
                }
            }
            Some(Level::Data(id)) => {
                let Some(key) = self.keys.get(&id) else {
                    return Err(file.malformed(format!("data of `{id}`"), "a key of this id"));
                };
                match (self.levels.last(), key.column) {
                    (Some(Level::Node(node)), Some(column)) => {
                        file.builder.cell(*node, column, text);
                    }
                    (Some(Level::Node(_)), None) => file.builder.ignore_node_data(&key.name),
                    (_, _) if key.for_links => {
                        file.builder.link_data(&key.name, text);
                        self.given.push(id);
                    }
                    (_, _) => file.builder.ignore_link_data(&key.name),
                }
            }
            Some(Level::Link) => self.add_defaults(file),
            _ => {}
        }
        Ok(())
    }

    fn missing(&self) -> Option<&'static str> {
        match (self.graphs, self.levels.is_empty()) {
            (0, _) => Some("no graph"),
            (_, false) => Some("the end inside a tag"),
            (_, true) => None,
        }
    }
}

impl GraphMl {
    /// A key is declared; returns its id.
    fn open_key(&mut self, file: &mut XmlFile<'_>, mut tag: Tag) -> Result<String, ReadError> {
        let id = file.required(&mut tag, "id")?;
        let kind = tag.take("for").unwrap_or_else(|| "all".to_owned());
        let name = tag.take("attr.name").unwrap_or_else(|| id.clone());
        let all = kind == "all";
        let column = (all || kind == "node").then(|| file.builder.new_column(name.clone()));
        let key = Key { name, column, for_links: all || kind == "edge", default: None };
        if self.keys.insert(id.clone(), key).is_some() {
            return Err(file.malformed(format!("the key `{id}` twice"), "each key once"));
        }
        Ok(id)
    }

    /// Weights that a link does not give itself but its key has by default.
    fn add_defaults(&self, file: &mut XmlFile<'_>) {
        for (id, key) in &self.keys {
            if let Some(default) = &key.default
                && key.for_links
                && super::builder::weight_rank(&key.name).is_some()
                && !self.given.contains(id)
            {
                file.builder.link_data(&key.name, default);
            }
        }
    }
}
