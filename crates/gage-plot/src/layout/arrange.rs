//! The steps of a layout, in order.

use gage_linalg::Tall;

use super::forces::Movement;
use super::neighbours::{Neighbours, nearest};
use super::point::Point;
use super::principal_axes::principal;

/// How a map is laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayoutParams {
    /// Neighbours a node is held to.
    pub neighbours: usize,
    /// Rounds of moving all points; `None` chooses by the number of nodes.
    pub rounds: Option<usize>,
    /// Up to this many nodes neighbours are exact.
    pub exact_nodes: usize,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for LayoutParams {
    fn default() -> Self {
        LayoutParams { neighbours: 15, rounds: None, exact_nodes: 10_000, seed: 0 }
    }
}

/// Lays out the rows of an embedding by the angles between them (rows are brought to length one
/// first).
///
/// `start` gives first positions, to lay out a related embedding in a comparable way; otherwise the
/// principal axes do. Cost: `O(n^2 d)` up to [`LayoutParams::exact_nodes`], beyond that
/// `O(n d log n)`; then `O(n)` a round.
pub fn layout(embedding: &Tall<f32>, start: Option<&[Point]>, params: &LayoutParams) -> Vec<Point> {
    let nodes = embedding.rows();
    if nodes < 3 || embedding.cols() == 0 {
        return (0..nodes).map(|node| [node as f32, 0.0]).collect();
    }
    let unit = unit_rows(embedding);
    let neighbours = nearest(&unit, params.neighbours.max(2), params.exact_nodes, params.seed);
    arrange(&unit, &neighbours, start, params)
}

/// As [`layout`], with rows of length one and their neighbours at hand.
pub fn arrange(
    unit: &Tall<f32>,
    neighbours: &Neighbours,
    start: Option<&[Point]>,
    params: &LayoutParams,
) -> Vec<Point> {
    let nodes = unit.rows();
    let first = match start {
        Some(start) if start.len() == nodes => start.to_vec(),
        _ => principal(unit, params.seed),
    };
    let rounds = params.rounds.unwrap_or_else(|| usual_rounds(nodes));
    Movement::new(neighbours, first, rounds, params.seed).finish()
}

/// Rounds that bring so many nodes to rest from their principal axes.
pub fn usual_rounds(nodes: usize) -> usize {
    match nodes {
        0..=20_000 => 600,
        20_001..=200_000 => 300,
        _ => 150,
    }
}

/// Rows divided by their lengths; zero rows stay.
pub fn unit_rows(embedding: &Tall<f32>) -> Tall<f32> {
    Tall::from_rows(embedding.rows(), embedding.cols(), |row, out| {
        let values = embedding.row(row);
        let square: f64 = values.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        let scale = if square > 0.0 && square.is_finite() { 1.0 / square.sqrt() } else { 0.0 };
        for (out, &value) in out.iter_mut().zip(values) {
            *out = (f64::from(value) * scale) as f32;
        }
    })
}
