//! Symmetrization: undirected links from directed ones.

use gage_linalg::SparseMatrix;

use crate::error::{Origin, Place, ReadError};
use crate::sparse_builder::{ValueBuilder, sparse_error};

/// The undirected form of links: each pair has the weight of the stronger of its two directions, so
/// that a link listed once and a link listed both ways count the same. Symmetric links are
/// unchanged.
pub(crate) fn symmetrize(
    origin: impl Into<Origin>,
    links: SparseMatrix,
) -> Result<SparseMatrix, ReadError> {
    if links.is_symmetric() {
        return Ok(links);
    }
    let back = links.transposed();
    let mut pointers = vec![0u64];
    let mut indices = Vec::new();
    let mut values = ValueBuilder::new();
    for row in 0..links.rows() {
        let (mut ahead, mut behind) = (links.row(row).peekable(), back.row(row).peekable());
        while let Some((col, value)) = match (ahead.peek().copied(), behind.peek().copied()) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                behind.next();
                ahead.next();
                Some((a.0, if b.1.abs() > a.1.abs() { b.1 } else { stronger_tie(a.1, b.1) }))
            }
            (Some(a), Some(b)) if b.0 < a.0 => behind.next().or(Some(a)),
            (Some(_), _) => ahead.next(),
            (None, _) => behind.next(),
        } {
            indices.push(col);
            values.push(value);
        }
        pointers.push(indices.len() as u64);
    }
    SparseMatrix::new(links.rows(), links.cols(), pointers, indices, values.finish())
        .map_err(|error| sparse_error(origin, Place::File, error))
}

/// Of opposite weights of one size the positive one, whichever direction is looked at first.
fn stronger_tie(a: f64, b: f64) -> f64 {
    if a.abs() == b.abs() { a.max(b) } else { a }
}
