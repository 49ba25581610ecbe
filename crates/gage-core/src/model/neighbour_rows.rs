//! Mean rows of the fitted nodes that new nodes are linked to.

use crate::graph::Matrix;
use gage_linalg::{AnyTallRef, Real, Tall};

use super::new_nodes::NewNodes;
use super::row_products::observes;

/// Adds the mean row of the neighbours of a new node by some blocks of links: for each block in
/// any direction, weighted by the links, and then over the blocks in which it has any.
pub(super) fn add_mean_of_neighbours(
    rows: AnyTallRef<'_>,
    new: &NewNodes,
    (names, node): (&[String], usize),
    out: &mut [f64],
) {
    match rows {
        AnyTallRef::F32(rows) => add_mean(rows, new, (names, node), out),
        AnyTallRef::F64(rows) => add_mean(rows, new, (names, node), out),
    }
}

fn add_mean<T: Real>(
    rows: &Tall<T>,
    new: &NewNodes,
    (names, node): (&[String], usize),
    out: &mut [f64],
) {
    let of_block = |name: &String| -> Vec<(usize, f64)> {
        let of_name = new.blocks.iter().filter(|block| block.name == *name);
        let links = of_name.filter(|block| observes(block, node));
        links.flat_map(|block| entries(&block.matrix, node)).collect()
    };
    let total = |links: &[(usize, f64)]| links.iter().map(|(_, weight)| weight.abs()).sum::<f64>();
    let blocks: Vec<_> = names.iter().map(of_block).filter(|links| total(links) > 0.0).collect();
    for links in &blocks {
        let whole = total(links) * blocks.len() as f64;
        for &(neighbour, weight) in links {
            let weight = weight / whole;
            for (out, value) in out.iter_mut().zip(rows.row(neighbour)) {
                *out += weight * value.to_f64();
            }
        }
    }
}

/// Known entries of a row.
fn entries(matrix: &Matrix, row: usize) -> Vec<(usize, f64)> {
    match matrix {
        Matrix::Sparse(sparse) => {
            sparse.row(row).map(|(col, value)| (col as usize, value)).collect()
        }
        Matrix::Dense(dense) => {
            let values = (0..dense.cols()).map(|col| (col, dense.get(row, col)));
            values.filter(|(_, value)| *value != 0.0 && !value.is_nan()).collect()
        }
    }
}
