//! The nodes and links of node-link JSON.

use crate::error::ReadError;

use super::node_link::NodeLink;
use super::node_link_value::{Part, Value};

/// Names of the two ends of a link, and of what a node is known by.
const SOURCE: [&str; 2] = ["source", "from"];
const TARGET: [&str; 2] = ["target", "to"];
const ID: [&str; 2] = ["id", "key"];
/// Objects whose fields are those of the node or link around them: of Cytoscape and of graphology.
const INNER: [&str; 2] = ["data", "attributes"];
/// Fields of links that say which link it is, and nothing else.
const LINK_ID: [&str; 2] = ["id", "key"];

/// The fields of an object, with those of inner objects in their place.
fn fields_of(fields: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let mut flat = Vec::with_capacity(fields.len());
    for (name, value) in fields {
        match value {
            Value::Fields(inner) if INNER.contains(&name.as_str()) => flat.extend(inner),
            value => flat.push((name, value)),
        }
    }
    flat
}

impl NodeLink<'_> {
    /// A node of the list.
    pub(super) fn node(&mut self, part: Part) -> Result<(), ReadError> {
        let at = self.nodes;
        self.nodes += 1;
        let place = || format!("nodes[{at}]");
        let mut fields = match part {
            Value::Fields(fields) => fields_of(fields),
            Value::List => return Err(self.malformed(place(), "a list", "an object or an id")),
            id => vec![(ID[0].to_owned(), id)],
        };
        let given = take(&mut fields, &ID);
        self.without_id += u64::from(given.is_none());
        if self.without_id > 0 && self.without_id <= at {
            let found = format!("{} of {} nodes without `id`", self.without_id, at + 1);
            return Err(self.malformed(place(), found, "an `id` in every node, or in none"));
        }
        let id = match given {
            Some(id) => match id.text().filter(|id| !id.is_empty()) {
                Some(id) => id,
                None => {
                    let expected = "a text or a number as `id`";
                    return Err(self.malformed(place(), "a list or nothing as `id`", expected));
                }
            },
            None => at.to_string(),
        };
        let node = self.builder.node(&id, at)?;
        let by_position = self.without_id > 0;
        for (name, value) in fields {
            match (value.text(), name.as_str()) {
                (Some(text), "name") if by_position => self.builder.name(node, &text),
                (Some(text), _) => {
                    let column = self.builder.column(&name);
                    self.builder.cell(node, column, &text);
                }
                // Where Cytoscape draws a node is no data.
                (None, "position") => {}
                (None, _) => self.builder.ignore_node_data(&name),
            }
        }
        Ok(())
    }

    /// A link of the list.
    pub(super) fn link(&mut self, part: Part) -> Result<(), ReadError> {
        let at = self.links;
        self.links += 1;
        let place = || format!("links[{at}]");
        let Value::Fields(fields) = part else {
            return Err(self.malformed(place(), "no object", "an object with `source`, `target`"));
        };
        let mut fields = fields_of(fields);
        let mut ends = [String::new(), String::new()];
        for (end, names) in ends.iter_mut().zip([SOURCE, TARGET]) {
            let Some(value) = take(&mut fields, &names) else {
                return Err(self.malformed(place(), format!("no `{}`", names[0]), "one"));
            };
            if !matches!(value, Value::Number(_, true)) && self.text_ends.is_none() {
                self.text_ends = Some(value.told());
            }
            *end = match value.text().filter(|id| !id.is_empty()) {
                Some(id) => id,
                None => {
                    let found = format!("a list, an object or nothing as `{}`", names[0]);
                    return Err(self.malformed(place(), found, "the id of a node"));
                }
            };
        }
        let directed = match (take(&mut fields, &["directed"]), take(&mut fields, &["undirected"]))
        {
            (Some(Value::Bool(directed)), _) => Some(directed),
            (None, Some(Value::Bool(undirected))) => Some(!undirected),
            (None, None) => None,
            _ => return Err(self.malformed(place(), "no boolean as `directed`", "true or false")),
        };
        self.builder.link([&ends[0], &ends[1]], directed, at)?;
        for (name, value) in fields {
            match value.text() {
                Some(_) if LINK_ID.contains(&name.as_str()) => {}
                Some(text) => self.builder.link_data(&name, &text),
                None => self.builder.ignore_link_data(&name),
            }
        }
        Ok(())
    }
}

/// Removes the field with the first of these names that there is.
fn take(fields: &mut Vec<(String, Value)>, names: &[&str]) -> Option<Value> {
    let at = names.iter().find_map(|wanted| fields.iter().position(|(name, _)| name == wanted))?;
    Some(fields.remove(at).1)
}
