//! From neighbours to a symmetric graph with weights.

use rayon::prelude::*;

use super::neighbours::Neighbours;

/// A symmetric graph; the weights of every row sum to one.
pub(super) struct Fuzzy {
    pub(super) starts: Vec<u32>,
    pub(super) rows: Vec<u32>,
    pub(super) weights: Vec<f32>,
}

/// Weights fall off from the nearest neighbour on, at a rate that makes the sum over `k` neighbours
/// `log2 k`; those of the two directions are joined as `a + b - ab`.
pub(super) fn graph(found: &Neighbours) -> Fuzzy {
    let k = found.k.max(1);
    let nodes = found.rows.len() / k;
    let directed: Vec<f32> = found
        .squares
        .par_chunks_exact(k)
        .flat_map_iter(|squares| membership(squares, (k as f64).log2()))
        .collect();
    // Both directions of every edge, row by row: forward entries, then entries of the rows that
    // point here.
    let mut counts = vec![k as u32; nodes];
    found.rows.iter().for_each(|&row| counts[row as usize] += 1);
    let mut offsets = vec![0usize; nodes + 1];
    for node in 0..nodes {
        offsets[node + 1] = offsets[node] + counts[node] as usize;
    }
    let mut next = offsets.clone();
    let mut both = vec![(0u32, 0f32); offsets[nodes]];
    for node in 0..nodes {
        let span = node * k..(node + 1) * k;
        for (&row, &weight) in found.rows[span.clone()].iter().zip(&directed[span]) {
            for (from, to) in [(node, row), (row as usize, node as u32)] {
                both[next[from]] = (to, weight);
                next[from] += 1;
            }
        }
    }
    let lists: Vec<Vec<(u32, f32)>> = (0..nodes)
        .into_par_iter()
        .with_min_len(256)
        .map(|node| merge_directions(both[offsets[node]..offsets[node + 1]].to_vec()))
        .collect();
    let mut graph = Fuzzy { starts: vec![0], rows: Vec::new(), weights: Vec::new() };
    for list in lists {
        graph.rows.extend(list.iter().map(|entry| entry.0));
        graph.weights.extend(list.iter().map(|entry| entry.1));
        graph.starts.push(graph.rows.len() as u32);
    }
    graph
}

/// Joins the two directions of every edge and scales the sum to one.
fn merge_directions(mut list: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    list.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    list.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 = earlier.1 + later.1 - earlier.1 * later.1;
        }
        same
    });
    let sum: f32 = list.iter().map(|entry| entry.1).sum();
    if sum > 0.0 {
        list.iter_mut().for_each(|entry| entry.1 /= sum);
    }
    list
}

/// Weights of one row's neighbours; `squares` rise.
fn membership(squares: &[f32], goal: f64) -> Vec<f32> {
    let distances: Vec<f64> =
        squares.iter().map(|&square| f64::from(square.max(0.0)).sqrt()).collect();
    let nearest = distances.iter().copied().find(|&distance| distance > 0.0).unwrap_or(0.0);
    let mean = distances.iter().sum::<f64>() / distances.len().max(1) as f64;
    let sum = |rate: f64| -> f64 {
        distances.iter().map(|distance| (-(distance - nearest).max(0.0) / rate).exp()).sum()
    };
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut rate = mean.max(1e-12);
    for _ in 0..48 {
        if sum(rate) > goal {
            high = rate;
        } else {
            low = rate;
        }
        rate = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * rate };
    }
    // Where all distances are equal no rate fits; a floor keeps the weights from vanishing.
    let rate = rate.clamp(1e-3 * mean.max(1e-12), 1e3 * mean.max(1e-12));
    distances.iter().map(|d| (-(d - nearest).max(0.0) / rate).exp() as f32).collect()
}
