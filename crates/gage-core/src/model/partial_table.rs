//! The table for new nodes that have one combination of blocks.

use gage_linalg::AnyTall;

/// How nodes with one combination of blocks relate to the rows.
#[derive(Clone, Debug)]
pub(crate) struct PartialRows {
    /// The blocks such a node has.
    pub(crate) blocks: Vec<String>,
    /// Those of them that are links; the mean row of the neighbours by these is an input. None in
    /// models of older versions.
    pub(crate) neighbours: Vec<String>,
    /// `s W_P`, one row per input: the products, then the mean row.
    pub(crate) weights: AnyTall,
    /// What a row begins with.
    pub(crate) intercept: Vec<f64>,
}

impl PartialRows {
    /// The row of a node with these inputs.
    pub(crate) fn row(&self, inputs: &[f64]) -> Vec<f64> {
        let mut out = self.intercept.clone();
        for (f, &input) in inputs.iter().enumerate().filter(|(_, input)| **input != 0.0) {
            for (out, weight) in out.iter_mut().zip(self.weights.row_f64(f)) {
                *out += input * weight;
            }
        }
        out
    }
}
