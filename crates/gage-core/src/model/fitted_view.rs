//! One view of a fitted model.

use serde::{Deserialize, Serialize};

/// One view of a fitted model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FittedView {
    /// Name.
    pub name: String,
    /// Weight in the loss.
    pub weight: f64,
    /// Share in the embedding by default.
    pub share: f64,
    /// Whether links take part in this view.
    pub uses_links: bool,
    /// Number of nodes it observes.
    pub observed: usize,
    /// Columns of its matrix.
    pub columns: usize,
    /// Columns of the block it is made from, if its own are others: of a logarithm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_columns: Option<usize>,
    /// `||X_k||_F` of its centred Gram matrix, in the units of the data.
    pub gram_norm: f64,
    /// Whether that norm is exact or an estimate.
    pub gram_norm_exact: bool,
    /// Whether its coefficients refer to the view divided by that norm.
    pub balanced: bool,
    /// `||X_k - U diag(c_k) U^T||^2 / ||X_k||^2`.
    pub relative_loss: f64,
    /// Coefficients `c_k >= 0`, one per column.
    #[serde(skip)]
    pub coefficients: Vec<f64>,
}

impl FittedView {
    /// Columns of the block that a row of a new node has.
    pub(crate) fn block_columns(&self) -> usize {
        self.source_columns.unwrap_or(self.columns)
    }

    /// Unit of the coefficients: the factor from them to squared distances in the units of the
    /// data.
    pub fn distance_unit(&self) -> f64 {
        if self.balanced { self.gram_norm } else { 1.0 }
    }
}
