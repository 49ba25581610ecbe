//! Tables and links of new nodes, converted to the rows and columns of a fitted model.

use gage_core::graph::Nodes;
use gage_core::model::{Model, NewNodes};
use gage_core::views::DirectedViews;

use super::error::NewDataError;
use super::{attributes, links};
use crate::contents::{AttributeTable, LinkTable};
use crate::dataset::join_rule::IdSpelling;
use crate::dataset::parts::relation_block;
use crate::dataset::spelling::{IdPart, Ids, settle};
use crate::error::{Origin, ReadError};
use crate::note::Note;

/// What is known about new nodes, by the names the blocks had at the fit.
#[derive(Clone, Debug, Default)]
pub struct NewTables {
    /// Links: with ids, of which some are fitted nodes; or a row per new node and a column per
    /// fitted node.
    pub links: Vec<(String, LinkTable)>,
    /// Attributes.
    pub attributes: Vec<(String, AttributeTable)>,
    /// The new nodes in their order; otherwise the ids that the model does not know, or the rows.
    pub names: Option<Nodes>,
    /// Whether rows of tables are placed even if the model has their nodes.
    pub fitted_rows: bool,
    /// Which ids are the same, among each other and as those of the model.
    pub spelling: IdSpelling,
}

impl NewTables {
    /// Adds links, and those of each relation among them that the model knows.
    pub fn add_links(&mut self, model: &Model, name: &str, mut links: LinkTable) {
        let relations = std::mem::take(&mut links.relations);
        let (ids, semantics) = (links.ids.clone(), links.semantics);
        self.links.push((name.to_owned(), links));
        for (relation, links) in relations {
            let block = relation_block(name, &relation);
            if fitted_width(model, &block).is_ok() {
                self.links.push((block, LinkTable::new(ids.clone(), links, semantics)));
            }
        }
    }

    /// Gives ids the spelling of the model, or refuses those of which only the spelling differs.
    fn settle_ids(&mut self, model: &Model) -> Result<Option<String>, ReadError> {
        let of = |name: &str| Origin::Memory(name.to_owned());
        let mut fitted = model.nodes().clone();
        let mut all = vec![IdPart::new(&of("the model"), Ids::Rows(&mut fitted))];
        let names = self.names.iter_mut();
        all.extend(names.map(|names| IdPart::new(&of("nodes"), Ids::Rows(names))));
        all.extend(self.attributes.iter_mut().filter_map(|(name, table)| {
            Some(IdPart::new(&of(name), Ids::Rows(table.ids.as_mut()?)))
        }));
        let links = self.links.iter_mut();
        all.extend(links.map(|(name, table)| IdPart::new(&of(name), Ids::Ends(table))));
        settle(&mut all, self.spelling)
    }
}

/// New nodes and what there is to say about how they were understood.
#[derive(Clone, Debug)]
pub struct AlignedNewNodes {
    /// Who they are.
    pub nodes: Nodes,
    /// What the model needs of them.
    pub data: NewNodes,
    /// What was decided or left out.
    pub remarks: Vec<String>,
}

/// Brings what is known about new nodes into the rows and columns of a model.
pub fn align_new_nodes(
    model: &Model,
    mut tables: NewTables,
) -> Result<AlignedNewNodes, NewDataError> {
    let mut remarks = Vec::from_iter(tables.settle_ids(model)?);
    let nodes = new_node_ids(model, &tables, &mut remarks)?;
    let mut data = NewNodes { count: nodes.len(), blocks: Vec::new() };
    for (name, table) in &tables.links {
        remarks.extend(table.warnings.iter().map(Note::to_string));
        let directed = match model.relations().and_then(|relations| relations.get(name)) {
            Some(&directed) => directed,
            None => model.params().directed != DirectedViews::AsGiven,
        };
        data.blocks.extend(links::blocks(model, &nodes, name, table, !directed, &mut remarks)?);
    }
    for (name, table) in &tables.attributes {
        remarks.extend(table.warnings.iter().map(Note::to_string));
        let columns = fitted_width(model, name)?;
        let block = attributes::block(model, &nodes, name, table, columns, &mut remarks)?;
        data.blocks.push(block);
    }
    Ok(AlignedNewNodes { nodes, data, remarks })
}

/// The number of columns a block had at the fit; an error if the model does not know the block.
pub fn fitted_width(model: &Model, block: &str) -> Result<usize, NewDataError> {
    let blocks = model.fitted_blocks();
    if let Some((_, columns)) = blocks.iter().find(|(name, _)| name == block) {
        return Ok(*columns);
    }
    let known: Vec<&str> = blocks.iter().map(|(name, _)| name.as_str()).collect();
    let message = format!("the model was fitted without `{block}`; it knows {}", known.join(", "));
    Err(NewDataError::new(message, "leave it out, or give it the name it had"))
}

/// Whether a block was links at the fit. Older models do not say; then a block with a column for
/// every fitted node is taken for links.
pub fn is_relation(model: &Model, block: &str) -> Result<bool, NewDataError> {
    let columns = fitted_width(model, block)?;
    Ok(match model.relations() {
        Some(relations) => relations.contains_key(block),
        None => columns == model.fitted_nodes(),
    })
}

/// Who is new: the names given; or the ids of the tables and of the links that the model does not
/// know; or rows.
fn new_node_ids(
    model: &Model,
    tables: &NewTables,
    remarks: &mut Vec<String>,
) -> Result<Nodes, NewDataError> {
    if let Some(names) = &tables.names {
        return Ok(names.clone());
    }
    let attributes = tables.attributes.iter().map(|(_, table)| table);
    let links = tables.links.iter().map(|(_, table)| table);
    let rows = attributes.clone().find(|t| t.ids.is_none()).map(|t| t.matrix.rows());
    let rows = rows.or(links.clone().find(|t| t.ids.is_none()).map(|t| t.links.rows()));
    let mut lists: Vec<&Nodes> = attributes.filter_map(|table| table.ids.as_ref()).collect();
    let tables_with_ids = lists.len();
    lists.extend(links.filter_map(|table| table.ids.as_ref()));
    if let Some(rows) = rows {
        if lists.is_empty() {
            return Ok(Nodes::numbered(rows));
        }
        let message = "one file names the new nodes and another has rows without names";
        let help = "give the names of the rows, too";
        return Err(NewDataError::new(message, help));
    }
    let known = model.nodes().index();
    let is_known = |id: &str| match model.nodes().is_named() {
        true => known.contains_key(id),
        false => model.nodes().find(id).is_some(),
    };
    let mut seen = std::collections::HashSet::new();
    let mut new: Vec<String> = Vec::new();
    let mut fitted_rows = 0;
    for (at, list) in lists.iter().enumerate() {
        for id in list.ids() {
            let in_table = at < tables_with_ids;
            if is_known(&id) && !(tables.fitted_rows && in_table) {
                fitted_rows += usize::from(in_table);
            } else if seen.insert(id.clone()) {
                new.push(id);
            }
        }
    }
    if fitted_rows > 0 {
        remarks.push(format!("{fitted_rows} rows are of nodes the model already has; left out"));
    }
    if new.is_empty() {
        let message = "found no new node: the model knows every id";
        let help = "the embedding of the model has the rows of its own nodes";
        return Err(NewDataError::new(message, help));
    }
    Nodes::named(new).map_err(|error| NewDataError::new(error.to_string(), "name every node once"))
}
