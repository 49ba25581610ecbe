//! Removes links from a graph.

use serde::{Deserialize, Serialize};

use super::EvalError;
use super::links::{LinkParams, LinkSplit, remove_links};
use crate::error::Error;
use crate::graph::{Block, BlockKind, Graph, Mask, Matrix};
use gage_linalg::SparseMatrix;

/// A block that still links pairs whose link was hidden in another block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StillLinked {
    /// Name of the block.
    pub block: String,
    /// Hidden pairs that it links, in either direction.
    pub pairs: usize,
}

/// A graph with some links of one block hidden.
#[derive(Clone, Debug)]
pub struct HiddenLinks {
    /// The graph without them; every view of it is made from what is left. It carries no labels.
    pub graph: Graph,
    /// The block they were taken from.
    pub block: String,
    /// Whether its links have a direction. If so, hiding i -> j leaves j -> i.
    pub directed: bool,
    /// What was hidden, what is left, and as many pairs without a link.
    pub split: LinkSplit,
    /// Other blocks of links that still join hidden pairs; they are left as they are.
    pub still_linked: Vec<StillLinked>,
}

/// Hides a random share of the links of one block, by default the first one; see [`remove_links`].
///
/// Only *that block* loses links. Views of the block, smoothed attributes included, never see them.
/// Other relations are kept, and `still_linked` counts the hidden pairs they join. If the block has
/// a mask, a node that lost its last link becomes unobserved. Otherwise it has no links. Expected
/// cost O(nodes + nonzeros).
///
/// ```
/// use gage_embed::eval::hide_links;
/// use gage_embed::{Block, Graph, Nodes, SparseMatrix};
/// let next = |i: u32| [(i, (i + 1) % 6, 1.0), ((i + 1) % 6, i, 1.0)];
/// let ring: Vec<(u32, u32, f64)> = (0..6).flat_map(next).collect();
/// let ring = Block::links("links", SparseMatrix::from_triplets(6, 6, &ring)?, false);
/// let hidden = hide_links(&Graph::new(Nodes::numbered(6)).with_block(ring)?, None, 0.5, 0)?;
/// assert_eq!(hidden.split.held_out.len(), 3);
/// assert_eq!(hidden.graph.block("links").unwrap().matrix.nnz(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hide_links(
    graph: &Graph,
    block: Option<&str>,
    remove: f64,
    seed: u64,
) -> Result<HiddenLinks, EvalError> {
    let chosen = links_block(graph, block)?;
    let BlockKind::Links { directed } = chosen.kind else {
        return Err(no_links(graph, block));
    };
    let whole = sparse(&chosen.matrix)?;
    let split = remove_links(&whole, &LinkParams { remove, directed, seed })?;
    let mut rest = Graph::new(graph.nodes().clone());
    let mut still_linked = Vec::new();
    for other in graph.blocks() {
        let kept = if other.name == chosen.name {
            let observed = other.observed.as_ref();
            let observed = observed.map(|mask| still_observed(mask, &whole, &split.training));
            Block { matrix: split.training.clone().into(), observed, ..other.clone() }
        } else {
            if matches!(other.kind, BlockKind::Links { .. }) {
                let pairs = joined(&sparse(&other.matrix)?, &split.held_out);
                still_linked.push(StillLinked { block: other.name.clone(), pairs });
            }
            other.clone()
        };
        rest = rest.with_block(kept).map_err(Error::from)?;
    }
    still_linked.retain(|other| other.pairs > 0);
    Ok(HiddenLinks { graph: rest, block: chosen.name.clone(), directed, split, still_linked })
}

fn links_block<'a>(graph: &'a Graph, name: Option<&str>) -> Result<&'a Block, EvalError> {
    let links = |block: &&Block| matches!(block.kind, BlockKind::Links { .. });
    let found = match name {
        Some(name) => graph.block(name).filter(links),
        None => graph.blocks().iter().find(links),
    };
    found.ok_or_else(|| no_links(graph, name))
}

fn no_links(graph: &Graph, wanted: Option<&str>) -> EvalError {
    let links = graph.blocks().iter().filter(|b| matches!(b.kind, BlockKind::Links { .. }));
    EvalError::NoLinks {
        wanted: wanted.map_or_else(|| "any".to_owned(), |name| format!("`{name}`")),
        known: links.map(|block| block.name.as_str()).collect::<Vec<_>>().join(", "),
    }
}

fn sparse(matrix: &Matrix) -> Result<SparseMatrix, EvalError> {
    match matrix {
        Matrix::Sparse(sparse) => Ok(sparse.clone()),
        Matrix::Dense(dense) => {
            let entry = |row: usize, col: usize| (row as u32, col as u32, dense.get(row, col));
            let entries: Vec<(u32, u32, f64)> = (0..dense.rows())
                .flat_map(|row| (0..dense.cols()).map(move |col| entry(row, col)))
                // Not a number means not known, which is no link either.
                .filter(|entry| entry.2 != 0.0 && !entry.2.is_nan())
                .collect();
            Ok(SparseMatrix::from_triplets(dense.rows(), dense.cols(), &entries)?)
        }
    }
}

/// Observed nodes that did not lose their last link.
fn still_observed(mask: &Mask, whole: &SparseMatrix, rest: &SparseMatrix) -> Mask {
    let touched = |links: &SparseMatrix| {
        let mut touched = vec![false; links.rows()];
        for row in 0..links.rows() {
            for (to, _) in links.row(row) {
                touched[row] = true;
                touched[to as usize] = true;
            }
        }
        touched
    };
    let (before, after) = (touched(whole), touched(rest));
    let kept = mask.as_slice().iter().zip(before.iter().zip(&after));
    Mask::new(kept.map(|(&seen, (&before, &after))| seen && (after || !before)).collect())
}

/// How many of the pairs some entry joins, in either direction.
fn joined(links: &SparseMatrix, pairs: &[(u32, u32)]) -> usize {
    let linked = |i: u32, j: u32| links.row(i as usize).any(|(to, value)| to == j && value != 0.0);
    pairs.iter().filter(|&&(i, j)| linked(i, j) || linked(j, i)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Labels, Nodes};

    fn ring(nodes: u32) -> SparseMatrix {
        let entries: Vec<(u32, u32, f64)> = (0..nodes)
            .flat_map(|i| [(i, (i + 1) % nodes, 1.0), ((i + 1) % nodes, i, 1.0)])
            .collect();
        SparseMatrix::from_triplets(nodes as usize, nodes as usize, &entries).unwrap()
    }

    #[test]
    fn only_the_named_block_loses_links_and_others_are_counted() {
        let graph = Graph::new(Nodes::numbered(40))
            .with_block(Block::links("links", ring(40), false))
            .unwrap()
            .with_block(Block::links("same", ring(40), false))
            .unwrap()
            .with_labels(Labels::from_numbers(&[0; 40]))
            .unwrap();
        let hidden = hide_links(&graph, Some("same"), 0.25, 3).unwrap();
        assert_eq!(hidden.graph.block("links"), graph.block("links"));
        assert_eq!(hidden.graph.block("same").unwrap().matrix.nnz(), 60);
        assert_eq!(hidden.still_linked, [StillLinked { block: "links".to_owned(), pairs: 10 }]);
        assert!(hidden.graph.labels().is_none());
    }

    #[test]
    fn a_node_that_lost_its_last_link_is_not_observed_any_more() {
        // Two pairs; node 4 was observed to have none, node 5 was not observed.
        let entries = [(0, 1, 1.0), (1, 0, 1.0), (2, 3, 1.0), (3, 2, 1.0)];
        let links = SparseMatrix::from_triplets(6, 6, &entries).unwrap();
        let block = Block::links("links", links, false);
        let block = block.observing(vec![true, true, true, true, true, false]);
        let graph = Graph::new(Nodes::numbered(6)).with_block(block).unwrap();
        let hidden = hide_links(&graph, None, 0.5, 0).unwrap();
        let (i, j) = hidden.split.held_out[0];
        let mask = hidden.graph.block("links").unwrap().observed.clone().unwrap();
        let lost = |node: u32| node == i || node == j;
        let expected: Vec<bool> = (0..6).map(|node| node < 5 && !lost(node)).collect();
        assert_eq!(mask.as_slice(), expected);
    }

    #[test]
    fn a_graph_without_links_is_told_so() {
        let words = SparseMatrix::from_triplets(3, 2, &[(0, 0, 1.0)]).unwrap();
        let graph = Graph::new(Nodes::numbered(3)).with_block(Block::attributes("words", words));
        let graph = graph.unwrap();
        assert!(matches!(hide_links(&graph, None, 0.5, 0), Err(EvalError::NoLinks { .. })));
        assert!(matches!(
            hide_links(&graph, Some("words"), 0.5, 0),
            Err(EvalError::NoLinks { .. })
        ));
    }
}
