//! Inverted lists: the nearest ones to a query, and the scan of a list.

use gage_linalg::kernel::{TopK, squared_distance};

/// The centroids nearest to a row, nearest first.
pub(crate) fn nearest_lists(centroids: &[f32], query: &[f32], wanted: usize) -> Vec<(f32, u32)> {
    let mut nearest = TopK::new(wanted);
    for (at, centroid) in centroids.chunks_exact(query.len()).enumerate() {
        nearest.offer(squared_distance(centroid, query), at as u32);
    }
    nearest.into_sorted()
}

/// Compares a row with all rows of a list except that of node `own`.
pub(crate) fn scan_list(
    rows: &[f32],
    members: &[u32],
    query: &[f32],
    own: u32,
    nearest: &mut TopK<f32>,
) {
    for (row, &member) in rows.chunks_exact(query.len()).zip(members) {
        if member != own {
            nearest.offer(squared_distance(row, query), member);
        }
    }
}
