//! GEXF, the format of Gephi: nodes, links and their values in XML, declared by attributes.

use std::collections::HashMap;
use std::path::Path;

use crate::error::ReadError;
use crate::reading::ColumnOptions;

use super::GraphFile;
use super::builder::{GraphFileBuilder, Places};
use super::xml::{Tag, XmlFile, XmlFormat, read_xml};

pub(super) fn read(path: &Path, options: &ColumnOptions) -> Result<GraphFile, ReadError> {
    let builder = GraphFileBuilder::new(path, "a GEXF file", Places::Lines, options);
    read_xml(builder, Gexf::default())
}

/// The element whose content is read.
enum Level {
    Graph,
    /// declarations, of nodes or of links
    Attributes {
        of_nodes: bool,
    },
    Attribute {
        of_nodes: bool,
        id: String,
    },
    Default {
        of_nodes: bool,
        id: String,
    },
    Node(u32),
    Link,
    Other,
}

#[derive(Default)]
struct Gexf {
    levels: Vec<Level>,
    graphs: usize,
    /// by id, the columns of values of nodes and the names of values of links
    columns: HashMap<String, u32>,
    link_values: HashMap<String, String>,
}

impl XmlFormat for Gexf {
    fn open(&mut self, file: &mut XmlFile<'_>, mut tag: Tag) -> Result<(), ReadError> {
        let owner = self.levels.iter().rev().find(|level| !matches!(level, Level::Other));
        let level = match (tag.name.as_str(), owner) {
            ("graph", _) => {
                self.graphs += 1;
                if self.graphs > 1 {
                    return Err(file.unsupported("a second graph"));
                }
                let direction = tag.take("defaultedgetype").unwrap_or_default();
                file.builder.directed = Some(is_directed(file, &direction)?);
                Level::Graph
            }
            ("node", Some(Level::Node(_))) => return Err(file.unsupported("a node inside a node")),
            ("spell" | "slice", Some(Level::Node(_))) => {
                file.builder.ignore_node_data("times");
                Level::Other
            }
            ("spell" | "slice", Some(Level::Link)) => {
                file.builder.ignore_link_data("times");
                Level::Other
            }
            ("attributes", Some(Level::Graph)) => {
                let class = file.required(&mut tag, "class")?;
                Level::Attributes { of_nodes: class == "node" }
            }
            ("attribute", Some(&Level::Attributes { of_nodes })) => {
                let id = self.declare(file, &mut tag, of_nodes)?;
                Level::Attribute { of_nodes, id }
            }
            ("default", Some(Level::Attribute { of_nodes, id })) => {
                Level::Default { of_nodes: *of_nodes, id: id.clone() }
            }
            ("node", Some(Level::Graph)) => open_node(file, &mut tag)?,
            ("edge", Some(Level::Graph)) => open_edge(file, &mut tag)?,
            ("attvalue", Some(&Level::Node(node))) => {
                self.node_value(file, &mut tag, node)?;
                Level::Other
            }
            ("attvalue", Some(Level::Link)) => {
                self.link_value(file, &mut tag)?;
                Level::Other
            }
            _ => Level::Other,
        };
        self.levels.push(level);
        Ok(())
    }

    fn close(&mut self, file: &mut XmlFile<'_>, text: &str) -> Result<(), ReadError> {
        if let Some(Level::Default { of_nodes: true, id }) = self.levels.pop()
            && let Some(&column) = self.columns.get(&id)
        {
            file.builder.columns[column as usize].default = Some(text.to_owned());
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

fn is_directed(file: &XmlFile<'_>, kind: &str) -> Result<bool, ReadError> {
    match kind {
        "directed" => Ok(true),
        // A mutual link goes both ways, which is what a link without direction does.
        "undirected" | "mutual" | "" => Ok(false),
        other => {
            let expected = "`directed`, `undirected` or `mutual`";
            Err(file.malformed(format!("links of the type `{other}`"), expected))
        }
    }
}

fn open_node(file: &mut XmlFile<'_>, tag: &mut Tag) -> Result<Level, ReadError> {
    let (id, line) = (file.required(tag, "id")?, file.line());
    let node = file.builder.node(&id, line)?;
    if let Some(label) = tag.take("label") {
        file.builder.name(node, &label);
    }
    if tag.take("start").is_some() | tag.take("end").is_some() {
        file.builder.ignore_node_data("times");
    }
    Ok(Level::Node(node))
}

fn open_edge(file: &mut XmlFile<'_>, tag: &mut Tag) -> Result<Level, ReadError> {
    let ends = [file.required(tag, "source")?, file.required(tag, "target")?];
    let directed = tag.take("type").map(|kind| is_directed(file, &kind)).transpose()?;
    let line = file.line();
    file.builder.link([&ends[0], &ends[1]], directed, line)?;
    for name in ["weight", "label", "kind"] {
        if let Some(text) = tag.take(name) {
            file.builder.link_data(name, &text);
        }
    }
    if tag.take("start").is_some() | tag.take("end").is_some() {
        file.builder.ignore_link_data("times");
    }
    Ok(Level::Link)
}

impl Gexf {
    /// A value of nodes or links is declared; returns its id.
    fn declare(
        &mut self,
        file: &mut XmlFile<'_>,
        tag: &mut Tag,
        of_nodes: bool,
    ) -> Result<String, ReadError> {
        let id = file.required(tag, "id")?;
        let title = tag.take("title").unwrap_or_else(|| id.clone());
        let again = if of_nodes {
            self.columns.insert(id.clone(), file.builder.new_column(title)).is_some()
        } else {
            self.link_values.insert(id.clone(), title).is_some()
        };
        if again {
            return Err(file.malformed(format!("the attribute `{id}` twice"), "each once"));
        }
        Ok(id)
    }

    fn node_value(
        &self,
        file: &mut XmlFile<'_>,
        tag: &mut Tag,
        node: u32,
    ) -> Result<(), ReadError> {
        let (id, value) = value(file, tag)?;
        match self.columns.get(&id) {
            Some(&column) => file.builder.cell(node, column, &value),
            None => return Err(undeclared(file, &id)),
        }
        Ok(())
    }

    fn link_value(&self, file: &mut XmlFile<'_>, tag: &mut Tag) -> Result<(), ReadError> {
        let (id, value) = value(file, tag)?;
        match self.link_values.get(&id) {
            Some(name) => file.builder.link_data(name, &value),
            None => return Err(undeclared(file, &id)),
        }
        Ok(())
    }
}

/// The attribute a value is of, which older versions call `id`, and the value.
fn value(file: &XmlFile<'_>, tag: &mut Tag) -> Result<(String, String), ReadError> {
    let id = match tag.take("for").or_else(|| tag.take("id")) {
        Some(id) => id,
        None => file.required(tag, "for")?,
    };
    Ok((id, file.required(tag, "value")?))
}

fn undeclared(file: &XmlFile<'_>, id: &str) -> ReadError {
    file.malformed(format!("a value of `{id}`"), "an attribute of this id")
}
