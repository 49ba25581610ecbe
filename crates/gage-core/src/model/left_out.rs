//! A graph without some of its nodes, and those as new nodes.

use crate::error::Error;
use crate::graph::{Block, BlockKind, Graph, Mask, Matrix, Nodes};
use crate::views::Direction;
use gage_linalg::{DenseMatrix, SparseMatrix};

use super::new_nodes::NewBlock;
use super::row_products::block_observes;

/// Whether a block of the graph observes a node.
pub(super) fn observed(block: &Block, node: usize) -> bool {
    block_observes(block.observed.as_ref(), &block.matrix, node)
}

/// The graph of some nodes, with the links among them.
pub(crate) fn induced(graph: &Graph, kept: &[u32]) -> Result<Graph, Error> {
    let mut out = Graph::new(Nodes::numbered(kept.len()));
    for block in graph.blocks() {
        let matrix = rows_of(block, &block.matrix, kept, kept)?;
        let flags = |mask: &Mask| kept.iter().map(|&node| mask.contains(node as usize)).collect();
        let observed = block.observed.as_ref().map(|mask| Mask::new(flags(mask)));
        let (name, kind) = (block.name.clone(), block.kind);
        let part = Block { name, kind, matrix, observed, columns: None, encoding: None };
        out = out.with_block(part)?;
    }
    Ok(out)
}

/// A block of the graph as that of new nodes, whose links lead to the kept ones.
pub(crate) fn new_blocks(
    block: &Block,
    nodes: &[u32],
    kept: &[u32],
) -> Result<Vec<NewBlock>, Error> {
    let flags = |mask: &Mask| nodes.iter().map(|&node| mask.contains(node as usize)).collect();
    let new = |direction, matrix: &Matrix| {
        Ok::<_, Error>(NewBlock {
            name: block.name.clone(),
            direction,
            matrix: rows_of(block, matrix, nodes, kept)?,
            observed: block.observed.as_ref().map(|mask| Mask::new(flags(mask))),
        })
    };
    let mut blocks = vec![new(Direction::Out, &block.matrix)?];
    if let (BlockKind::Links { directed: true }, Matrix::Sparse(matrix)) =
        (block.kind, &block.matrix)
    {
        blocks.push(new(Direction::In, &matrix.transposed().into())?);
    }
    Ok(blocks)
}

/// Some rows of a block; links keep the ends among `kept`.
fn rows_of(block: &Block, matrix: &Matrix, rows: &[u32], kept: &[u32]) -> Result<Matrix, Error> {
    match matrix {
        Matrix::Sparse(sparse) => {
            let links = matches!(block.kind, BlockKind::Links { .. });
            let mut place = vec![u32::MAX; if links { sparse.cols() } else { 0 }];
            if links {
                kept.iter().enumerate().for_each(|(at, &node)| place[node as usize] = at as u32);
            }
            let mut entries = Vec::new();
            for (at, &row) in rows.iter().enumerate() {
                let place = |col: u32| if links { place[col as usize] } else { col };
                let found = sparse.row(row as usize).map(|(col, value)| (place(col), value));
                let found = found.filter(|&(col, _)| col != u32::MAX);
                entries.extend(found.map(|(col, value)| (at as u32, col, value)));
            }
            let cols = if links { kept.len() } else { sparse.cols() };
            Ok(Matrix::Sparse(SparseMatrix::from_triplets(rows.len(), cols, &entries)?))
        }
        Matrix::Dense(dense) => {
            let columns: Vec<usize> = if matches!(block.kind, BlockKind::Links { .. }) {
                kept.iter().map(|&node| node as usize).collect()
            } else {
                (0..dense.cols()).collect()
            };
            let row = |&row: &u32| columns.iter().map(move |&col| dense.get(row as usize, col));
            let values = rows.iter().flat_map(row).collect();
            let part = DenseMatrix::from_f64(rows.len(), columns.len(), values);
            let unfit = || Error::NewNodes { reason: "a table of impossible size".to_owned() };
            part.map(Matrix::Dense).ok_or_else(unfit)
        }
    }
}
