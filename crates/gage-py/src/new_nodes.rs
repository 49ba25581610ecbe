//! Nodes that a model was not fitted to, and nodes by the ids that somebody gives.

use gage_embed::io::{AlignedNewNodes, NewTables, align_new_nodes, find_node, fitted_width};
use gage_embed::model::FoldedIn;
use gage_embed::{Model, Nodes};
use pyo3::prelude::*;

use crate::errors::BindingError;
use crate::graph::join_rule;
use crate::handles::{PyLinks, PyTable};

/// Links and tables of new nodes by the names of their blocks.
pub(crate) type NamedLinks<'py> = Vec<(String, PyRef<'py, PyLinks>)>;
pub(crate) type NamedTables<'py> = Vec<(String, PyRef<'py, PyTable>)>;

/// What was made of new nodes, their names, those without any view, and remarks.
pub(crate) type Placed<T> = (T, Option<Vec<String>>, Vec<usize>, Vec<String>);

/// What is known about new nodes; whether rows of fitted nodes are placed, too.
pub(crate) fn new_tables(
    model: &Model,
    links: NamedLinks<'_>,
    (tables, fitted_rows): (NamedTables<'_>, bool),
    nodes: Option<Vec<String>>,
    ids: Option<&str>,
) -> Result<NewTables, BindingError> {
    for (name, _) in &links {
        fitted_width(model, name)?;
    }
    let mut new = NewTables {
        attributes: tables.into_iter().map(|(name, part)| (name, part.0.clone())).collect(),
        names: nodes.map(Nodes::named).transpose()?,
        fitted_rows,
        spelling: join_rule(None, ids)?.spelling,
        ..NewTables::default()
    };
    for (name, part) in links {
        new.add_links(model, &name, part.0.clone());
    }
    Ok(new)
}

/// Rows of new nodes.
pub(crate) fn place(
    model: &Model,
    tables: NewTables,
) -> Result<(AlignedNewNodes, FoldedIn), BindingError> {
    let mut new = align_new_nodes(model, tables)?;
    let folded = model.fold_in(&new.data)?;
    new.remarks.extend(folded.warnings(|node| new.nodes.id(node)));
    Ok((new, folded))
}

/// What Python unpacks.
pub(crate) fn said<T>(made: T, new: AlignedNewNodes, folded: FoldedIn) -> Placed<T> {
    let ids = new.nodes.is_named().then(|| new.nodes.ids().collect());
    (made, ids, folded.unobserved, new.remarks)
}

/// Position of a node by its id, by the rule for the ids of files.
pub(crate) fn position(
    nodes: &Nodes,
    id: &str,
    ids: Option<&str>,
    of: &str,
) -> Result<usize, BindingError> {
    find_node(nodes, id, join_rule(None, ids)?.spelling)?.ok_or_else(|| {
        let (example, count) = (nodes.id(0), nodes.len());
        BindingError::Key(format!(
            "node `{id}` is not in {of}, which has {count} nodes such as `{example}`"
        ))
    })
}
