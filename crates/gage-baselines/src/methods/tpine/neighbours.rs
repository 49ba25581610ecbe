//! Exact nearest neighbours by cosine.

use gage_embed::SparseMatrix;
use gage_linalg::kernel::TopK;
use rayon::prelude::*;

use crate::Error;
use crate::input::Table;

/// Nodes whose similarities are computed together.
const BLOCK: usize = 64;

/// Links of weight 1 between nodes of which one is among the `count` nearest of the other: largest
/// positive inner products of rows (of length 1), the smaller number first among equals.
pub(crate) fn nearest(table: &Table, count: usize) -> Result<SparseMatrix, Error> {
    let nodes = table.rows();
    let sparse = as_sparse(table)?;
    let transposed = sparse.transposed();
    let lists: Vec<Vec<u32>> = (0..nodes.div_ceil(BLOCK))
        .into_par_iter()
        .flat_map_iter(|block| {
            let rows = block * BLOCK..((block + 1) * BLOCK).min(nodes);
            let mut similar = vec![0.0f64; nodes];
            let lists: Vec<Vec<u32>> = rows
                .map(|row| nearest_of(row, &sparse, &transposed, count, &mut similar))
                .collect();
            lists
        })
        .collect();
    let mut entries = Vec::with_capacity(2 * nodes * count);
    for (row, list) in lists.iter().enumerate() {
        for &other in list {
            entries.push((row as u32, other));
            entries.push((other, row as u32));
        }
    }
    entries.sort_unstable();
    entries.dedup();
    let entries: Vec<(u32, u32, f64)> = entries.into_iter().map(|(i, j)| (i, j, 1.0)).collect();
    Ok(SparseMatrix::from_triplets(nodes, nodes, &entries)?)
}

/// The nearest nodes of one; `similar` is all zeros before and after.
fn nearest_of(
    row: usize,
    table: &SparseMatrix,
    transposed: &SparseMatrix,
    count: usize,
    similar: &mut [f64],
) -> Vec<u32> {
    for (col, value) in table.row(row) {
        for (other, weight) in transposed.row(col as usize) {
            similar[other as usize] += value * weight;
        }
    }
    let mut found = TopK::new(count);
    for (other, similarity) in similar.iter_mut().enumerate() {
        if *similarity > 0.0 && other != row {
            found.offer(-*similarity, other as u32);
        }
        *similarity = 0.0;
    }
    found.into_sorted().into_iter().map(|(_, other)| other).collect()
}

fn as_sparse(table: &Table) -> Result<SparseMatrix, Error> {
    if let Table::Sparse(matrix) = table {
        return Ok(matrix.clone());
    }
    let mut entries = Vec::new();
    for row in 0..table.rows() {
        table.each(row, |col, value| entries.push((row as u32, col as u32, value)));
    }
    Ok(SparseMatrix::from_triplets(table.rows(), table.cols(), &entries)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_those_of_all_pairs() {
        // Four directions in the plane; the last node has no attributes and so no neighbours.
        let angles = [0.0f64, 0.1, 0.3, 1.5];
        let rows: Vec<[f64; 2]> =
            angles.iter().map(|a| [a.cos(), a.sin()]).chain([[0.0; 2]]).collect();
        let entries: Vec<(u32, u32, f64)> = (0..5u32)
            .flat_map(|i| [(i, 0, rows[i as usize][0]), (i, 1, rows[i as usize][1])])
            .collect();
        let table = Table::Sparse(SparseMatrix::from_triplets(5, 2, &entries).unwrap());
        let near = nearest(&table, 1).unwrap();
        let links: Vec<Vec<u32>> = (0..5).map(|i| near.row(i).map(|e| e.0).collect()).collect();
        assert_eq!(links, [vec![1], vec![0, 2], vec![1, 3], vec![2], vec![]]);
    }
}
