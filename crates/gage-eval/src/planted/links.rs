//! Links of a degree-corrected block model.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use gage_linalg::random::Stream;
use gage_linalg::{SparseMatrix, Values};
use rayon::prelude::*;

use super::CHUNK;
use super::ends::Ends;
use super::params::PlantedParams;

/// Expected degrees relative to their mean.
fn weights(params: &PlantedParams) -> Vec<f32> {
    if params.power_law == 0.0 {
        return vec![1.0; params.nodes];
    }
    // No node is expected to have more links than a simple graph can well hold.
    let most = (params.nodes as f64 / params.degree).sqrt().max(1.0) * 4.0;
    let power = -1.0 / (params.power_law - 1.0);
    let mut weights: Vec<f32> = (0..params.nodes as u64)
        .into_par_iter()
        .map(|node| {
            let unit = 1.0 - Stream::keyed(params.seed, 2, node).unit();
            unit.powf(power).min(most) as f32
        })
        .collect();
    let mean = weights.iter().map(|&weight| f64::from(weight)).sum::<f64>() / params.nodes as f64;
    weights.par_iter_mut().for_each(|weight| *weight = (f64::from(*weight) / mean) as f32);
    weights
}

/// Draws the links: each node draws half of its expected degree, and is drawn by others for the
/// other half.
pub(super) fn draw(params: &PlantedParams, classes: &[u16]) -> SparseMatrix {
    let weights = weights(params);
    let ends = Ends::new(classes, params.classes, &weights);
    let drawn: Vec<Vec<(u32, u32)>> = (0..params.nodes.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let nodes = chunk * CHUNK..((chunk + 1) * CHUNK).min(params.nodes);
            nodes.flat_map(|node| links_of(params, node, classes, &weights, &ends)).collect()
        })
        .collect();
    drop((ends, weights));
    symmetric(params.nodes, &drawn)
}

/// The links that one node draws.
fn links_of(
    params: &PlantedParams,
    node: usize,
    classes: &[u16],
    weights: &[f32],
    ends: &Ends,
) -> impl Iterator<Item = (u32, u32)> {
    let mut stream = Stream::keyed(params.seed, 3, node as u64);
    let count = stream.round(0.5 * params.degree * f64::from(weights[node]));
    (0..count).filter_map(move |_| {
        let inside = stream.unit() < params.homophily;
        let other = ends.draw(classes[node], inside, &mut stream);
        (other as usize != node).then_some((node as u32, other))
    })
}

/// Both directions of every pair, row by row. Threads fill rows in any order; sorting makes that
/// invisible.
fn symmetric(nodes: usize, drawn: &[Vec<(u32, u32)>]) -> SparseMatrix {
    let (starts, mut columns) = scattered(nodes, drawn);
    let lengths = sort_rows(&starts, &mut columns);
    // Rows move to the front, over the entries that were repeats.
    let (mut pointers, mut end) = (Vec::with_capacity(nodes + 1), 0);
    pointers.push(0);
    for (node, length) in lengths.into_iter().flatten().enumerate() {
        let start = starts[node] as usize;
        columns.copy_within(start..start + length as usize, end);
        end += length as usize;
        pointers.push(end as u64);
    }
    columns.truncate(end);
    SparseMatrix::canonical(nodes, nodes, pointers, columns, Values::Ones)
}

/// Where each row starts, and the columns of the rows in any order, with repeats.
fn scattered(nodes: usize, drawn: &[Vec<(u32, u32)>]) -> (Vec<u64>, Vec<u32>) {
    let counts: Vec<AtomicU32> = (0..nodes).map(|_| AtomicU32::new(0)).collect();
    drawn.par_iter().flatten_iter().for_each(|&(a, b)| {
        counts[a as usize].fetch_add(1, Ordering::Relaxed);
        counts[b as usize].fetch_add(1, Ordering::Relaxed);
    });
    let mut starts = vec![0u64; nodes + 1];
    for node in 0..nodes {
        starts[node + 1] = starts[node] + u64::from(counts[node].load(Ordering::Relaxed));
    }
    let next: Vec<AtomicU64> = starts.iter().map(|&start| AtomicU64::new(start)).collect();
    let columns: Vec<AtomicU32> = (0..starts[nodes]).map(|_| AtomicU32::new(0)).collect();
    drawn.par_iter().flatten_iter().for_each(|&(a, b)| {
        for (row, column) in [(a, b), (b, a)] {
            let at = next[row as usize].fetch_add(1, Ordering::Relaxed) as usize;
            columns[at].store(column, Ordering::Relaxed);
        }
    });
    (starts, columns.into_iter().map(AtomicU32::into_inner).collect())
}

/// Sorts every row, moves its different columns to its front, and returns how many they are, by
/// chunks of rows.
fn sort_rows(starts: &[u64], columns: &mut [u32]) -> Vec<Vec<u32>> {
    let nodes = starts.len() - 1;
    let mut pieces = Vec::new();
    let mut rest = columns;
    for first in (0..nodes).step_by(CHUNK) {
        let last = (first + CHUNK).min(nodes);
        let (piece, after) = rest.split_at_mut((starts[last] - starts[first]) as usize);
        pieces.push((first, last, piece));
        rest = after;
    }
    let sort = |(first, last, piece): (usize, usize, &mut [u32])| {
        let at = |node: usize| (starts[node] - starts[first]) as usize;
        (first..last).map(|node| sorted_unique(&mut piece[at(node)..at(node + 1)])).collect()
    };
    pieces.into_par_iter().map(sort).collect()
}

/// Sorts, moves the different numbers to the front, and returns how many there are.
fn sorted_unique(row: &mut [u32]) -> u32 {
    row.sort_unstable();
    let mut kept = 0;
    for at in 0..row.len() {
        if at == 0 || row[at] != row[kept - 1] {
            row[kept] = row[at];
            kept += 1;
        }
    }
    kept as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unique_numbers_come_first() {
        let mut row = [5, 1, 5, 2, 1];
        let kept = sorted_unique(&mut row) as usize;
        assert_eq!(row[..kept], [1, 2, 5]);
        assert_eq!(sorted_unique(&mut []), 0);
    }
}
