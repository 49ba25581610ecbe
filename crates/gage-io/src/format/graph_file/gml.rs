//! GML: nested lists of keys and values, as networkx, igraph and yEd write them.

use std::path::Path;

use crate::error::{Place, ReadError, excerpt};
use crate::reading::ColumnOptions;

use super::GraphFile;
use super::builder::{GraphFileBuilder, Places};
use super::gml_tokens::{Token, Tokens};

const EXPECTED: &str = "a GML file";

/// A file while its lists are read.
struct Gml<'a> {
    tokens: Tokens<'a>,
    builder: GraphFileBuilder<'a>,
}

/// The keys of a node or a link; those of lists have no value.
type Fields = Vec<(String, Option<String>)>;

/// Reads a GML file. The `label` of the nodes are their ids if every node has another one, as
/// networkx has it; otherwise `id` is.
pub(super) fn read(path: &Path, options: &ColumnOptions) -> Result<GraphFile, ReadError> {
    let mut builder = GraphFileBuilder::new(path, EXPECTED, Places::Lines, options);
    builder.names_are_ids = true;
    builder.directed = Some(false);
    let mut gml = Gml { tokens: Tokens::open(path, EXPECTED)?, builder };
    let mut graphs = 0;
    while let Some(key) = gml.key(false)? {
        if !key.eq_ignore_ascii_case("graph") {
            gml.value()?;
            continue;
        }
        graphs += 1;
        if graphs > 1 {
            return Err(gml.builder.unsupported(gml.place(), "a second graph"));
        }
        gml.expect_list("graph")?;
        gml.graph()?;
    }
    if graphs == 0 {
        return Err(gml.tokens.malformed("no graph", "`graph [ ... ]`"));
    }
    gml.builder.finish()
}

impl Gml<'_> {
    fn place(&self) -> Place {
        Place::Line(self.tokens.line())
    }

    /// The next key; `None` at the end of the list or, outside of all lists, of the file.
    fn key(&mut self, in_list: bool) -> Result<Option<String>, ReadError> {
        match self.tokens.next()? {
            Some(Token::Word(key)) if key.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                Ok(Some(key))
            }
            Some(Token::Close) if in_list => Ok(None),
            None if !in_list => Ok(None),
            other => Err(self.tokens.malformed(told(other), "a key")),
        }
    }

    /// The value after a key; `None` if it is a list, which is passed over.
    fn value(&mut self) -> Result<Option<String>, ReadError> {
        match self.tokens.next()? {
            Some(Token::Word(word)) if is_number(&word) => Ok(Some(word)),
            Some(Token::Text(text)) => Ok(Some(text)),
            Some(Token::Open) => self.pass_list().map(|()| None),
            other => Err(self.tokens.malformed(told(other), "a number, a text or a list")),
        }
    }

    fn expect_list(&mut self, key: &str) -> Result<(), ReadError> {
        match self.tokens.next()? {
            Some(Token::Open) => Ok(()),
            other => Err(self.tokens.malformed(told(other), &format!("`[` after `{key}`"))),
        }
    }

    /// Passes over the rest of a list, however deep.
    fn pass_list(&mut self) -> Result<(), ReadError> {
        let mut depth = 1usize;
        while depth > 0 {
            match self.tokens.next()? {
                Some(Token::Open) => depth += 1,
                Some(Token::Close) => depth -= 1,
                Some(_) => {}
                None => return Err(self.tokens.malformed(told(None), "`]`")),
            }
        }
        Ok(())
    }

    fn graph(&mut self) -> Result<(), ReadError> {
        while let Some(key) = self.key(true)? {
            match key.to_ascii_lowercase().as_str() {
                "node" => {
                    self.expect_list("node")?;
                    self.node()?;
                }
                "edge" => {
                    self.expect_list("edge")?;
                    self.edge()?;
                }
                "directed" => {
                    let value = self.value()?;
                    self.builder.directed = Some(match value.as_deref() {
                        Some("0") => false,
                        Some("1") => true,
                        _ => {
                            let found = format!("directed {}", value.unwrap_or_default());
                            return Err(self.tokens.malformed(found, "0 or 1"));
                        }
                    });
                }
                _ => {
                    self.value()?;
                }
            }
        }
        Ok(())
    }

    fn fields(&mut self) -> Result<Fields, ReadError> {
        let mut fields = Fields::new();
        while let Some(key) = self.key(true)? {
            let value = self.value()?;
            fields.push((key, value));
        }
        Ok(fields)
    }

    /// Removes the value of a key that a node or a link must have once.
    fn take(&self, fields: &mut Fields, what: &str, key: &str) -> Result<String, ReadError> {
        let is_key = |field: &(String, _)| field.0.eq_ignore_ascii_case(key);
        let Some(at) = fields.iter().position(is_key) else {
            return Err(self.tokens.malformed(format!("a {what} without `{key}`"), "one"));
        };
        match fields.remove(at).1 {
            Some(value) if !fields.iter().any(is_key) => Ok(value),
            _ => {
                let found = format!("a {what} with several `{key}`");
                Err(self.tokens.malformed(found, "one"))
            }
        }
    }

    fn node(&mut self) -> Result<(), ReadError> {
        let line = self.tokens.line();
        let mut fields = self.fields()?;
        let id = self.take(&mut fields, "node", "id")?;
        let node = self.builder.node(&id, line)?;
        for (key, value) in fields {
            match value {
                Some(label) if key == "label" => self.builder.name(node, &label),
                Some(text) => {
                    let column = self.builder.column(&key);
                    self.builder.cell(node, column, &text);
                }
                // How a node is drawn is no data.
                None if key == "graphics" || key == "LabelGraphics" => {}
                None => self.builder.ignore_node_data(&key),
            }
        }
        Ok(())
    }

    fn edge(&mut self) -> Result<(), ReadError> {
        let line = self.tokens.line();
        let mut fields = self.fields()?;
        let source = self.take(&mut fields, "edge", "source")?;
        let target = self.take(&mut fields, "edge", "target")?;
        self.builder.link([&source, &target], None, line)?;
        for (key, value) in fields {
            match value {
                Some(text) => self.builder.link_data(&key, &text),
                None if key == "graphics" => {}
                None => self.builder.ignore_link_data(&key),
            }
        }
        Ok(())
    }
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

fn told(token: Option<Token>) -> String {
    match token {
        Some(Token::Word(word)) => excerpt(word.as_bytes()),
        Some(Token::Text(text)) => format!("the text {}", excerpt(text.as_bytes())),
        Some(Token::Open) => "`[`".to_owned(),
        Some(Token::Close) => "`]`".to_owned(),
        None => "the end of the file".to_owned(),
    }
}
