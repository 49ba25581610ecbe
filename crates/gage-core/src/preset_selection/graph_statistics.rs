//! Statistics of a graph that decide how it is best embedded. Labels are not used.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::graph::{ATTRIBUTES, Block, BlockKind, Graph, LINKS, Matrix};
use crate::views::each_entry;

use super::attribute_assortativity::{AttributeAssortativity, attribute_assortativity};
use super::cosines::{column_idf, cosine_table};
use super::sampler::Sampler;
use super::smoothing_retention::{depth_scores, smoothing_retention};
use super::split_half::split_half_reliability;

/// Kind of the numbers of an attribute table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttributeForm {
    /// Counts or presence of words: whole numbers, and rows of varying length.
    Words,
    /// Categories: ones only, few or equally many in every row.
    Categories,
    /// Anything else, such as numbers that are weighted already.
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

/// Statistics of the blocks `links` and `attributes`.
///
/// They are estimated from samples that belong to the ids of the nodes, whatever their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphStatistics {
    /// Mean degree over all nodes; directed links count at both ends.
    pub mean_degree: Option<f64>,
    /// Whether the links are directed.
    pub directed: bool,
    /// Kind of the attributes.
    pub form: Option<AttributeForm>,
    /// Attribute assortativity of the links.
    #[serde(rename = "agreement")]
    pub assortativity: Option<AttributeAssortativity>,
    /// Split-half reliability of words and measurements. Categories have none, because each of them
    /// measures something else.
    #[serde(rename = "reliability", default)]
    pub split_half_reliability: Option<f64>,
    /// Smoothing steps, and the mean cosine between hidden attributes and their prediction.
    pub depth_scores: Vec<(usize, f64)>,
    /// The last of these scores relative to the first.
    #[serde(rename = "lasting")]
    pub smoothing_retention: Option<f64>,
}

impl GraphStatistics {
    /// Measures a graph. Cost: some hundred thousand sparse cosines, and eight passes over the
    /// links with 32 columns.
    pub fn of(graph: &Graph, seed: u64) -> GraphStatistics {
        let links = graph.block(LINKS).filter(|block| block.matrix.nnz() > 0);
        let attributes = graph.block(ATTRIBUTES).filter(|block| block.matrix.cols() > 0);
        let directed = links.is_some_and(|block| block.kind == BlockKind::Links { directed: true });
        let ends = if directed { 2.0 } else { 1.0 };
        let nodes = graph.nodes().len().max(1) as f64;
        let sampler = Sampler::new(graph.nodes(), seed);
        let idf = attributes.map_or_else(Vec::new, column_idf);
        let table = attributes.and_then(|block| cosine_table(block, &idf, seed));
        let assortativity = links
            .zip(table.as_ref())
            .and_then(|(links, table)| attribute_assortativity(links, table, &sampler));
        let depth_scores =
            links.zip(attributes).and_then(|(l, a)| depth_scores(l, a, &idf, &sampler, seed));
        let form = attributes.map(form);
        GraphStatistics {
            split_half_reliability: table
                .filter(|_| form != Some(AttributeForm::Categories))
                .and_then(|table| split_half_reliability(&table, &sampler, seed)),
            mean_degree: links.map(|block| ends * block.matrix.nnz() as f64 / nodes),
            directed,
            form,
            assortativity,
            smoothing_retention: depth_scores.as_deref().and_then(smoothing_retention),
            depth_scores: depth_scores.unwrap_or_default(),
        }
    }
}

/// Sums over rows that distinguish words from categories and measurements.
#[derive(Clone, Copy, Default)]
struct Shape {
    rows: f64,
    entries: f64,
    squares: f64,
    fractions: bool,
    all_ones: bool,
}

/// Whether a number is an integer; from `2^53` on all are. The conversion is faster than `fract`,
/// which has no instruction on the baseline processor.
fn is_whole(value: f64) -> bool {
    value.abs() >= 9_007_199_254_740_992.0 || value as i64 as f64 == value
}

/// Classifies the numbers of a block.
fn form(block: &Block) -> AttributeForm {
    if matches!(block.matrix, Matrix::Dense(_)) {
        return AttributeForm::Measurements;
    }
    let all = shape(block);
    let mean = all.entries / all.rows.max(1.0);
    let spread = (all.squares / all.rows.max(1.0) - mean * mean).max(0.0).sqrt() / mean.max(1.0);
    if all.fractions {
        AttributeForm::Measurements
    } else if all.all_ones && (spread < 0.1 || (mean < 10.0 && spread < 0.5)) {
        // Rows of a table with few columns, some cells empty: about one nonzero per column.
        AttributeForm::Categories
    } else {
        AttributeForm::Words
    }
}

/// Sums over the observed rows of a block that are not empty.
fn shape(block: &Block) -> Shape {
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
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_differ_from_fractions_at_every_size() {
        let large = 2f64.powi(53);
        for value in [0.0, -0.0, 1.0, -7.0, large - 1.0, large, 2.0 * large, 1e300, -1e300] {
            assert!(is_whole(value) && value.fract() == 0.0, "{value}");
        }
        for value in [0.5, -1e-300, 1.0 + f64::EPSILON, large / 2.0 - 0.5] {
            assert!(!is_whole(value) && value.fract() != 0.0, "{value}");
        }
    }
}
