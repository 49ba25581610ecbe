//! Statistics of a graph that decide how it is best embedded. Labels are not used.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::graph::{ATTRIBUTES, Block, BlockKind, Graph, LINKS, Matrix};
use crate::views::{Transform, each_entry};

use super::attribute_prediction::{AttributePrediction, attribute_prediction};

/// Mean degree from which on rows of the adjacency overlap enough to predict anything.
const DENSE_DEGREE: f64 = 25.0;

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
    /// How the preset `auto` transforms attributes of this kind.
    pub(super) fn transform(self) -> Transform {
        match self {
            AttributeForm::Words => Transform::RootIdf,
            AttributeForm::Categories | AttributeForm::Measurements => Transform::RowL2,
        }
    }

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
    /// What predicts hidden attributes, if there are links and enough attributes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prediction: Option<AttributePrediction>,
}

impl GraphStatistics {
    /// Measures a graph. Cost: one pass over the attributes, and that of [`AttributePrediction`].
    pub fn of(graph: &Graph, seed: u64) -> GraphStatistics {
        let links = graph.block(LINKS).filter(|block| block.matrix.nnz() > 0);
        let attributes = graph.block(ATTRIBUTES).filter(|block| block.matrix.cols() > 0);
        let directed = links.is_some_and(|block| block.kind == BlockKind::Links { directed: true });
        let ends = if directed { 2.0 } else { 1.0 };
        let nodes = graph.nodes().len().max(1) as f64;
        let mean_degree = links.map(|block| ends * block.matrix.nnz() as f64 / nodes);
        let form = attributes.map(form);
        let prediction = form.zip(mean_degree).and_then(|(form, degree)| {
            attribute_prediction(graph, form.transform(), degree >= DENSE_DEGREE, seed)
        });
        GraphStatistics { mean_degree, directed, form, prediction }
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
