//! What a graph says about itself, without labels.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::graph::{Block, BlockKind, Graph, Matrix};
use crate::views::each_entry;

use super::attribute_assortativity::{Agreement, agreement, reliability, table};
use super::cosines::frequencies;
use super::smoothing_retention::{depth_scores, lasting};

/// What the numbers of an attribute table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttributeForm {
    /// Counts or presence of words: whole numbers, their number differing from row to row.
    Words,
    /// Categories: ones only, few in every row or equally many.
    Categories,
    /// Anything else; whoever made such numbers has weighted them already.
    Measurements,
}

impl AttributeForm {
    /// In plain words.
    pub fn describe(self) -> &'static str {
        match self {
            AttributeForm::Words => "attributes are words",
            AttributeForm::Categories => "attributes are categories",
            AttributeForm::Measurements => "attributes are weighted numbers",
        }
    }
}

/// Facts of a graph that decide how it is best embedded. They rest on samples that depend on the order of the nodes, so
/// another order may change them a little.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Links a node, over all nodes; directed links count at both ends.
    pub mean_degree: Option<f64>,
    /// Whether the links are directed.
    pub directed: bool,
    /// What the attributes are.
    pub form: Option<AttributeForm>,
    /// How alike linked nodes are.
    pub agreement: Option<Agreement>,
    /// How far one half of the attributes says the same as the other about which nodes are alike; for words and
    /// measurements, not for categories, of which every one tells something else.
    #[serde(default)]
    pub reliability: Option<f64>,
    /// Mean cosine between hidden attributes and their prediction from nodes up to so many links away.
    pub depth_scores: Vec<(usize, f64)>,
    /// The last of these relative to the first: how much smoothing remembers.
    pub lasting: Option<f64>,
}

impl Facts {
    /// Measures the blocks `links` and `attributes` of a graph. Cost: some hundred thousand cosines, and as many passes
    /// over the links at 32 columns as the greatest depth.
    pub fn of(graph: &Graph, seed: u64) -> Facts {
        let links = graph.block("links").filter(|block| block.matrix.nnz() > 0);
        let attributes = graph.block("attributes").filter(|block| block.matrix.cols() > 0);
        let directed = links.is_some_and(|block| block.kind == BlockKind::Links { directed: true });
        let ends = if directed { 2.0 } else { 1.0 };
        let nodes = graph.nodes().len().max(1) as f64;
        let idf = attributes.map_or_else(Vec::new, frequencies);
        let table = attributes.and_then(|block| table(block, &idf, seed));
        let agreement = links.zip(table.as_ref()).and_then(|(l, table)| agreement(l, table, seed));
        let depth_scores = links.zip(attributes).and_then(|(l, a)| depth_scores(l, a, &idf, seed));
        let form = attributes.map(form);
        Facts {
            reliability: table
                .filter(|_| form != Some(AttributeForm::Categories))
                .and_then(|table| reliability(&table, seed)),
            mean_degree: links.map(|block| ends * block.matrix.nnz() as f64 / nodes),
            directed,
            form,
            agreement,
            lasting: depth_scores.as_deref().and_then(lasting),
            depth_scores: depth_scores.unwrap_or_default(),
        }
    }
}

/// Sums over rows that tell words from categories and measurements.
#[derive(Clone, Copy, Default)]
struct Shape {
    rows: f64,
    entries: f64,
    squares: f64,
    fractions: bool,
    all_ones: bool,
}

/// Whether a number has no fraction; from `2^53` on none has one. (There is no instruction for `fract` that every processor has:
/// with it the walk over Wikipedia's words took 4 ms, and takes 3.)
fn is_whole(value: f64) -> bool {
    value.abs() >= 9_007_199_254_740_992.0 || value as i64 as f64 == value
}

fn form(block: &Block) -> AttributeForm {
    if matches!(block.matrix, Matrix::Dense(_)) {
        return AttributeForm::Measurements;
    }
    let known = |row: usize| block.observed.as_ref().is_none_or(|mask| mask.contains(row));
    let shapes: Vec<Shape> = (0..block.matrix.rows())
        .into_par_iter()
        .filter(|&row| known(row))
        .map(|row| {
            let mut shape = Shape { all_ones: true, ..Shape::default() };
            each_entry(&block.matrix, row, |_, value| {
                shape.entries += 1.0;
                shape.fractions |= value < 0.0 || !is_whole(value);
                shape.all_ones &= value == 1.0;
            });
            shape
        })
        .collect();
    let mut all = Shape { all_ones: true, ..Shape::default() };
    for shape in shapes.iter().filter(|shape| shape.entries > 0.0) {
        all.rows += 1.0;
        all.entries += shape.entries;
        all.squares += shape.entries * shape.entries;
        all.fractions |= shape.fractions;
        all.all_ones &= shape.all_ones;
    }
    let mean = all.entries / all.rows.max(1.0);
    let spread = (all.squares / all.rows.max(1.0) - mean * mean).max(0.0).sqrt() / mean.max(1.0);
    if all.fractions {
        AttributeForm::Measurements
    } else if all.all_ones && (spread < 0.1 || (mean < 10.0 && spread < 0.5)) {
        // A row of a table with few columns, some of them empty: as many ones as columns, or a few less.
        AttributeForm::Categories
    } else {
        AttributeForm::Words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_told_from_fractions_at_every_size() {
        let large = 2f64.powi(53);
        for value in [0.0, -0.0, 1.0, -7.0, large - 1.0, large, 2.0 * large, 1e300, -1e300] {
            assert!(is_whole(value) && value.fract() == 0.0, "{value}");
        }
        for value in [0.5, -1e-300, 1.0 + f64::EPSILON, large / 2.0 - 0.5] {
            assert!(!is_whole(value) && value.fract() != 0.0, "{value}");
        }
    }
}
