//! Links between new nodes and fitted nodes.

use crate::contents::LinkTable;
use gage_core::graph::{Mask, Matrix, Nodes};
use gage_core::model::{Model, NewBlock};
use gage_core::views::Direction;
use gage_linalg::SparseMatrix;

use super::error::NewDataError;

/// Where an id of the link file belongs: a fitted node that is given once more is both.
#[derive(Clone, Copy)]
struct End {
    new: Option<u32>,
    fitted: Option<u32>,
    /// Whether the node was appended to the model after the fit.
    appended: bool,
}

/// The links as blocks: one if directions mean nothing, otherwise out-links and in-links.
pub(super) fn blocks(
    model: &Model,
    nodes: &Nodes,
    name: &str,
    table: &LinkTable,
    undirected: bool,
    remarks: &mut Vec<String>,
) -> Result<Vec<NewBlock>, NewDataError> {
    let Some(ids) = &table.ids else {
        return matrix(model, nodes, name, table).map(|block| vec![block]);
    };
    let ends = ends(model, nodes, ids);
    let (mut out, mut back) = (Vec::new(), Vec::new());
    let (mut between_new, mut between_fitted, mut appended, mut unknown) = (0, 0, 0, 0usize);
    for row in 0..table.links.rows() {
        for (col, weight) in table.links.row(row) {
            let (from, to) = (ends[row], ends[col as usize]);
            let ahead = from.new.zip(to.fitted);
            let behind = to.new.zip(from.fitted);
            out.extend(ahead.map(|(new, fitted)| (new, fitted, weight)));
            back.extend(behind.map(|(new, fitted)| (new, fitted, weight)));
            match (ahead.or(behind), from.new.zip(to.new), from.fitted.zip(to.fitted)) {
                (Some(_), _, _) => {}
                (None, Some(_), _) => between_new += 1,
                (None, None, Some(_)) => between_fitted += 1,
                (None, None, None) if from.appended || to.appended => appended += 1,
                (None, None, None) => unknown += 1,
            }
        }
    }
    for (number, what) in [
        (between_new, "links join two new nodes; a new node is described by fitted nodes only"),
        (between_fitted, "links join two nodes the model already has"),
        (appended, "links lead to nodes that were appended after the fit, which describe no node"),
        (unknown, "links have an end that is neither in the model nor among the new nodes"),
    ] {
        if number > 0 {
            remarks.push(format!("`{name}`: {number} {what}; left out"));
        }
    }
    if out.is_empty() && back.is_empty() {
        let message = format!(
            "`{name}`: found no link between a new node and a node of the model (ids such as `{}` \
             against `{}`)",
            ids.id(0),
            model.nodes().id(0)
        );
        let help = "check that the ids of fitted nodes are written as in the model";
        return Err(NewDataError::new(message, help));
    }
    let size = (nodes.len(), model.fitted_nodes());
    if undirected {
        out.append(&mut back);
        return Ok(vec![block(name, Direction::Out, size, out)?]);
    }
    Ok(vec![block(name, Direction::Out, size, out)?, block(name, Direction::In, size, back)?])
}

fn ends(model: &Model, nodes: &Nodes, ids: &Nodes) -> Vec<End> {
    let (fitted, new) = (model.nodes().index(), nodes.index());
    let find_fitted = |id: &str| match model.nodes().is_named() {
        true => fitted.get(id).copied(),
        false => model.nodes().find(id).map(|node| node as u32),
    };
    let end = |id: String| {
        let known = find_fitted(&id);
        let fitted = known.filter(|&node| (node as usize) < model.fitted_nodes());
        End { new: new.get(id.as_str()).copied(), fitted, appended: known != fitted }
    };
    ids.ids().map(end).collect()
}

/// A block from entries; a link given in both directions counts once, with its larger weight.
fn block(
    name: &str,
    direction: Direction,
    (rows, cols): (usize, usize),
    mut entries: Vec<(u32, u32, f64)>,
) -> Result<NewBlock, NewDataError> {
    entries.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.total_cmp(&a.2)));
    entries.dedup_by_key(|entry| (entry.0, entry.1));
    let mut observed = vec![false; rows];
    entries.iter().for_each(|entry| observed[entry.0 as usize] = true);
    Ok(NewBlock {
        name: name.to_owned(),
        direction,
        matrix: Matrix::Sparse(SparseMatrix::from_triplets(rows, cols, &entries)?),
        observed: Some(Mask::new(observed)),
    })
}

/// Links as a matrix: a row per new node, a column per fitted node.
fn matrix(
    model: &Model,
    nodes: &Nodes,
    name: &str,
    table: &LinkTable,
) -> Result<NewBlock, NewDataError> {
    let (found, wanted) =
        ((table.links.rows(), table.links.cols()), (nodes.len(), model.fitted_nodes()));
    if found != wanted {
        let message = format!(
            "`{name}` of the new nodes is {} x {}, expected {} x {} (new x fitted nodes)",
            found.0, found.1, wanted.0, wanted.1
        );
        let help = "give an edge list with ids, or one row per new and one column per fitted node";
        return Err(NewDataError::new(message, help));
    }
    Ok(NewBlock {
        name: name.to_owned(),
        direction: Direction::Out,
        matrix: Matrix::Sparse(table.links.clone()),
        observed: None,
    })
}
