//! The table for new nodes that have one combination of blocks.

use gage_linalg::AnyTall;

/// How nodes with one combination of blocks relate to the rows.
#[derive(Clone, Debug)]
pub(crate) struct PartialRows {
    /// The blocks such a node has.
    pub(crate) blocks: Vec<String>,
    /// `s W_P`.
    pub(crate) weights: AnyTall,
    /// `s a`.
    pub(crate) intercept: Vec<f64>,
}

impl PartialRows {
    /// The row of a node with these products.
    pub(crate) fn row(&self, products: &[f64]) -> Vec<f64> {
        let mut out = self.intercept.clone();
        for (f, &product) in products.iter().enumerate() {
            for (out, weight) in out.iter_mut().zip(self.weights.row_f64(f)) {
                *out += product * weight;
            }
        }
        out
    }
}
