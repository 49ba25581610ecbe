//! Reindexing: positions of ids, and matrices with permuted rows and columns.

use std::collections::HashMap;

use gage_core::graph::{Matrix, Nodes};
use gage_linalg::{DenseMatrix, DenseValues, SparseMatrix};

use crate::error::{Origin, Place, ReadError};
use crate::format::edge_list::parse::small_number;
use crate::sparse_builder::{ValueBuilder, sparse_error};

/// Where each of `ids` stands among `nodes`.
pub(crate) enum Alignment {
    /// One position per id.
    All(Vec<u32>),
    /// The first id without a place, and how many there are.
    Unknown { id: String, count: usize },
}

/// Looks ids up by name; for numbered nodes an id is a position.
pub(crate) fn align_ids(ids: &Nodes, nodes: &Nodes) -> Alignment {
    if ids == nodes {
        return Alignment::All((0..ids.len() as u32).collect());
    }
    let index = nodes.index();
    let find = |id: &str| {
        if nodes.is_named() { index.get(id).copied() } else { position(id, nodes.len()) }
    };
    align_with(ids, find)
}

/// Reads ids as positions, whatever the nodes are called.
pub(crate) fn align_by_number(ids: &Nodes, count: usize) -> Alignment {
    align_with(ids, |id| position(id, count))
}

pub(crate) fn position(id: &str, count: usize) -> Option<u32> {
    // Only the usual form, lest `7` and `007` be one node.
    small_number(id.as_bytes()).filter(|&at| (at as usize) < count)
}

fn align_with(ids: &Nodes, find: impl Fn(&str) -> Option<u32>) -> Alignment {
    let mut positions = Vec::with_capacity(ids.len());
    let (mut unknown, mut count) = (None, 0);
    for node in 0..ids.len() {
        match ids.name(node).and_then(&find) {
            Some(at) => positions.push(at),
            None => {
                count += 1;
                unknown.get_or_insert_with(|| ids.id(node));
            }
        }
    }
    match unknown {
        None => Alignment::All(positions),
        Some(id) => Alignment::Unknown { id, count },
    }
}

/// If all ids are whole numbers, the least and the greatest.
pub(crate) fn number_range(ids: &Nodes) -> Option<(u64, u64)> {
    let mut range = (u64::MAX, 0);
    for node in 0..ids.len() {
        let number = ids.name(node)?.parse().ok()?;
        range = (range.0.min(number), range.1.max(number));
    }
    (!ids.is_empty()).then_some(range)
}

/// The ids of several lists, each once, in order of first appearance. Lists that come first keep
/// their order.
pub(crate) fn union(lists: &[&Nodes]) -> Vec<String> {
    let mut seen: HashMap<&str, ()> = HashMap::new();
    let mut all = Vec::new();
    for ids in lists {
        for node in 0..ids.len() {
            if let Some(id) = ids.name(node)
                && seen.insert(id, ()).is_none()
            {
                all.push(id.to_owned());
            }
        }
    }
    all
}

/// Which of `count` nodes are among `positions`; `None` if all are.
pub(crate) fn mask(positions: &[u32], count: usize) -> Option<Vec<bool>> {
    let mut observed = vec![false; count];
    for &at in positions {
        observed[at as usize] = true;
    }
    (!observed.iter().all(|&o| o)).then_some(observed)
}

fn is_identity(positions: &[u32], count: usize) -> bool {
    positions.len() == count && positions.iter().enumerate().all(|(at, &to)| at == to as usize)
}

/// Moves row and column `i` of a square matrix to `positions[i]` of a matrix for `count` nodes.
pub(crate) fn reindex_links(
    origin: &Origin,
    links: SparseMatrix,
    positions: &[u32],
    count: usize,
) -> Result<SparseMatrix, ReadError> {
    if is_identity(positions, count) {
        return Ok(links);
    }
    permute_sparse(origin, &links, positions, count, count, |col| positions[col as usize])
}

/// Moves row `i` of a table to row `positions[i]` of a table for `count` nodes; other rows are
/// zero, or NaN if dense.
pub(crate) fn reindex_rows(
    origin: &Origin,
    matrix: Matrix,
    positions: &[u32],
    count: usize,
) -> Result<Matrix, ReadError> {
    if is_identity(positions, count) {
        return Ok(matrix);
    }
    match matrix {
        Matrix::Sparse(sparse) => {
            let cols = sparse.cols();
            permute_sparse(origin, &sparse, positions, count, cols, |col| col).map(Matrix::from)
        }
        Matrix::Dense(dense) => {
            let cols = dense.cols();
            let values = match dense.values() {
                DenseValues::F32(v) => {
                    DenseValues::F32(scatter(v, positions, count, cols, f32::NAN).into())
                }
                DenseValues::F64(v) => {
                    DenseValues::F64(scatter(v, positions, count, cols, f64::NAN).into())
                }
            };
            DenseMatrix::new(count, cols, values).map(Matrix::from).ok_or_else(|| {
                let remedy = "leave out nodes or columns";
                let found = format!("{count} rows of {cols} columns");
                ReadError::too_large(origin, Place::File, found, "a table that fits memory", remedy)
            })
        }
    }
}

fn scatter<T: Copy>(values: &[T], positions: &[u32], count: usize, cols: usize, rest: T) -> Vec<T> {
    let mut out = vec![rest; count * cols];
    for (row, &to) in positions.iter().enumerate() {
        let to = to as usize * cols;
        out[to..to + cols].copy_from_slice(&values[row * cols..(row + 1) * cols]);
    }
    out
}

fn permute_sparse(
    origin: &Origin,
    matrix: &SparseMatrix,
    positions: &[u32],
    rows: usize,
    cols: usize,
    column: impl Fn(u32) -> u32,
) -> Result<SparseMatrix, ReadError> {
    let mut from = vec![None; rows];
    for (row, &to) in positions.iter().enumerate() {
        from[to as usize] = Some(row);
    }
    let mut pointers = Vec::with_capacity(rows + 1);
    pointers.push(0u64);
    let mut indices = Vec::with_capacity(matrix.nnz());
    let mut values = ValueBuilder::new();
    let mut entries: Vec<(u32, f64)> = Vec::new();
    for row in from {
        entries.clear();
        entries
            .extend(row.into_iter().flat_map(|row| matrix.row(row)).map(|(c, v)| (column(c), v)));
        entries.sort_unstable_by_key(|entry| entry.0);
        indices.extend(entries.iter().map(|entry| entry.0));
        entries.iter().for_each(|entry| values.push(entry.1));
        pointers.push(indices.len() as u64);
    }
    SparseMatrix::new(rows, cols, pointers, indices, values.finish())
        .map_err(|error| sparse_error(origin, Place::File, error))
}
