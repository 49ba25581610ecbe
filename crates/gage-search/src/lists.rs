//! Inverted lists: which are nearest to a query, and a scan of one.

use crate::kernel::{Nearest, squared_distance};

/// The centres nearest to a row, nearest first.
pub(crate) fn nearest_centres(centres: &[f32], query: &[f32], wanted: usize) -> Vec<(f32, u32)> {
    let mut nearest = Nearest::new(wanted);
    for (at, centre) in centres.chunks_exact(query.len()).enumerate() {
        nearest.offer(squared_distance(centre, query), at as u32);
    }
    nearest.sorted()
}

/// Compares a row with all rows of a list except that of node `own`.
pub(crate) fn scan_list(
    rows: &[f32],
    members: &[u32],
    query: &[f32],
    own: u32,
    nearest: &mut Nearest,
) {
    for (row, &member) in rows.chunks_exact(query.len()).zip(members) {
        if member != own {
            nearest.offer(squared_distance(row, query), member);
        }
    }
}
