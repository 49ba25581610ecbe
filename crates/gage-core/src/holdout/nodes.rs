//! Holds out nodes, to see how well new nodes are placed.

use super::EvalError;
use crate::error::Error;
use crate::graph::{Block, BlockKind, Graph, Matrix};
use crate::model::{NewNodes, induced, new_blocks};
use gage_linalg::{DenseMatrix, SparseMatrix};

/// A graph of which some nodes are new.
#[derive(Clone, Debug)]
pub struct HeldOutNodes {
    /// The graph of the other nodes, with the links among them and without labels. Whatever a fit
    /// learns of it (weights of words, degrees), it learns of these nodes alone.
    pub fitted: Graph,
    /// The new nodes, with their links to the others.
    pub new: NewNodes,
    /// All nodes with the same data: without links among new nodes, and without labels.
    pub together: Graph,
    /// The nodes of `fitted` in the whole graph, in rising order.
    pub kept: Vec<u32>,
    /// The new nodes in the whole graph, in rising order.
    pub held_out: Vec<u32>,
}

/// Takes nodes out of a graph. Cost O(nodes + nonzeros).
pub fn hold_out_nodes(graph: &Graph, held_out: &[u32]) -> Result<HeldOutNodes, EvalError> {
    let nodes = graph.nodes().len();
    let mut is_new = vec![false; nodes];
    for &node in held_out {
        let Some(flag) = is_new.get_mut(node as usize) else {
            let (name, bound) = ("a node to hold out", "a node of the graph");
            return Err(EvalError::Parameter { name, value: f64::from(node), bound });
        };
        *flag = true;
    }
    let (held_out, kept): (Vec<u32>, Vec<u32>) =
        (0..nodes as u32).partition(|&node| is_new[node as usize]);
    for (what, list) in [("nodes to fit", &kept), ("nodes to hold out", &held_out)] {
        if list.is_empty() {
            return Err(EvalError::TooFew { what, needed: 1, found: 0 });
        }
    }
    let mut together = Graph::new(graph.nodes().clone());
    for block in graph.blocks() {
        let matrix = match block.kind {
            BlockKind::Links { .. } => without_links_among(&block.matrix, &is_new)?,
            BlockKind::Attributes => block.matrix.clone(),
        };
        together = together.with_block(Block { matrix, ..block.clone() }).map_err(Error::from)?;
    }
    let fitted = induced(graph, &kept)?;
    let new = rows_as_new(graph, &held_out, &kept)?;
    Ok(HeldOutNodes { fitted, new, together, kept, held_out })
}

/// The data of some nodes as those of new nodes, with their links to the kept ones.
pub fn rows_as_new(graph: &Graph, nodes: &[u32], kept: &[u32]) -> Result<NewNodes, EvalError> {
    let mut new = NewNodes { count: nodes.len(), blocks: Vec::new() };
    for block in graph.blocks() {
        new.blocks.extend(new_blocks(block, nodes, kept)?);
    }
    Ok(new)
}

fn without_links_among(matrix: &Matrix, is_new: &[bool]) -> Result<Matrix, EvalError> {
    let among = |row: usize, col: usize| is_new[row] && is_new[col];
    match matrix {
        Matrix::Sparse(sparse) => {
            let mut entries = Vec::with_capacity(sparse.nnz());
            for row in 0..sparse.rows() {
                let kept = sparse.row(row).filter(|(col, _)| !among(row, *col as usize));
                entries.extend(kept.map(|(col, value)| (row as u32, col, value)));
            }
            Ok(SparseMatrix::from_triplets(sparse.rows(), sparse.cols(), &entries)?.into())
        }
        Matrix::Dense(dense) => {
            let (rows, cols) = (dense.rows(), dense.cols());
            let value = |(row, col)| if among(row, col) { 0.0 } else { dense.get(row, col) };
            let all = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
            let part = DenseMatrix::from_f64(rows, cols, all.map(value).collect());
            Ok(part.map_or_else(|| matrix.clone(), Matrix::Dense))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Labels, Nodes};

    /// A ring of six nodes with one attribute each.
    fn ring() -> Graph {
        let next = |i: u32| [(i, (i + 1) % 6, 1.0), ((i + 1) % 6, i, 1.0)];
        let links: Vec<(u32, u32, f64)> = (0..6).flat_map(next).collect();
        let links = SparseMatrix::from_triplets(6, 6, &links).unwrap();
        let ones: Vec<(u32, u32, f64)> = (0..6).map(|i| (i, i % 3, 1.0)).collect();
        let words = SparseMatrix::from_triplets(6, 3, &ones).unwrap();
        Graph::new(Nodes::numbered(6))
            .with_block(Block::links("links", links, false))
            .unwrap()
            .with_block(Block::attributes("attributes", words))
            .unwrap()
            .with_labels(Labels::from_numbers(&[0; 6]))
            .unwrap()
    }

    fn entries(matrix: &Matrix) -> Vec<(usize, u32)> {
        let Matrix::Sparse(sparse) = matrix else { panic!("sparse expected") };
        (0..sparse.rows()).flat_map(|row| sparse.row(row).map(move |(col, _)| (row, col))).collect()
    }

    #[test]
    fn a_fit_sees_nothing_of_the_nodes_held_out() {
        let held = hold_out_nodes(&ring(), &[2, 1]).unwrap();
        assert_eq!((&held.kept[..], &held.held_out[..]), (&[0, 3, 4, 5][..], &[1, 2][..]));
        let links = entries(&held.fitted.block("links").unwrap().matrix);
        assert_eq!(links, [(0, 3), (1, 2), (2, 1), (2, 3), (3, 0), (3, 2)]);
        assert_eq!(held.fitted.block("attributes").unwrap().matrix.rows(), 4);
        assert!(held.fitted.labels().is_none() && held.together.labels().is_none());
        // Node 1 is linked to 0, node 2 to 3; the link between them is in neither.
        assert_eq!(entries(&held.new.blocks[0].matrix), [(0, 0), (1, 1)]);
        assert_eq!(entries(&held.together.block("links").unwrap().matrix).len(), 10);
    }

    #[test]
    fn there_must_be_nodes_on_both_sides() {
        assert!(hold_out_nodes(&ring(), &[]).is_err());
        assert!(hold_out_nodes(&ring(), &[0, 1, 2, 3, 4, 5]).is_err());
        assert!(hold_out_nodes(&ring(), &[6]).is_err());
    }
}
