//! One node: its classes, attributes and links.

use gage_embed::{Labels, Nodes};
use serde::Serialize;

use super::columns::{column_name, original};
use super::data::Data;
use super::names::Named;
use super::statistics::entries;

/// Attributes and links that are listed.
const MOST: usize = 60;

/// What is known about a node.
#[derive(Debug, Serialize)]
pub(crate) struct NodeView {
    pub(crate) node: usize,
    pub(crate) id: String,
    pub(crate) classes: Vec<String>,
    pub(crate) attributes: Vec<AttributeList>,
    pub(crate) links: Vec<LinkList>,
}

/// Attributes of a node in one block.
#[derive(Debug, Serialize)]
pub(crate) struct AttributeList {
    pub(crate) block: String,
    /// entries in all
    pub(crate) count: usize,
    /// the most telling ones
    pub(crate) shown: Vec<Cell>,
}

/// One cell of a table.
#[derive(Debug, Serialize)]
pub(crate) struct Cell {
    pub(crate) name: String,
    pub(crate) value: f64,
}

/// Links of a node in one block.
#[derive(Debug, Serialize)]
pub(crate) struct LinkList {
    pub(crate) block: String,
    /// links in all
    pub(crate) count: usize,
    /// the heaviest ones
    pub(crate) shown: Vec<Named>,
}

pub(crate) fn node_view(
    node: usize,
    nodes: &Nodes,
    labels: Option<&Labels>,
    data: Option<&Data>,
) -> NodeView {
    let name = |labels: &Labels| -> Vec<String> {
        labels.of(node).iter().map(|&c| labels.class_names()[c as usize].clone()).collect()
    };
    NodeView {
        node,
        id: nodes.id(node),
        classes: labels.map_or_else(Vec::new, name),
        attributes: data.map_or_else(Vec::new, |data| attributes(node, data)),
        links: data.map_or_else(Vec::new, |data| links(node, nodes, data)),
    }
}

/// Entries, those first that are large and that few others have.
fn attributes(node: usize, data: &Data) -> Vec<AttributeList> {
    let Some(row) = data.row(node) else { return Vec::new() };
    let list = data.attributes().map(|(block, statistics)| {
        let rows = block.matrix.rows() as f64;
        let mut found: Vec<(f64, u32, f64)> = entries(&block.matrix, row)
            .into_iter()
            .map(|(column, value)| {
                let rarity = (1.0 + rows / f64::from(statistics.present[column as usize])).ln();
                (value.abs() * if statistics.numeric { 1.0 } else { rarity }, column, value)
            })
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let cell = |&(_, column, value): &(f64, u32, f64)| Cell {
            name: column_name(block, column as usize),
            value: original(block, column as usize, value),
        };
        let shown = found.iter().take(MOST).map(cell).collect();
        AttributeList { block: block.name.clone(), count: found.len(), shown }
    });
    list.collect()
}

fn links(node: usize, nodes: &Nodes, data: &Data) -> Vec<LinkList> {
    let list = data.links().map(|block| {
        let mut found: Vec<(u32, f64)> = data.linked(block, node).collect();
        found.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        let named = |&(node, _): &(u32, f64)| Named { node, id: nodes.id(node as usize) };
        let shown = found.iter().take(MOST).map(named).collect();
        LinkList { block: block.name.clone(), count: found.len(), shown }
    });
    list.collect()
}
