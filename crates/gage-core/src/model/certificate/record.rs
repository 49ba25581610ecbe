//! The contents of a certificate.

use serde::{Deserialize, Serialize};

/// A number with a 95% confidence interval; the interval is a point where the number is exact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The measurements of one view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewCertificate {
    /// Name of the view.
    pub view: String,
    /// `sqrt(sum (d_model - d_true)^2 / sum d_true^2)` over pairs of nodes, for squared distances
    /// `d`.
    pub distance_error: Estimate,
    /// Pairs compared.
    pub pairs: usize,
    /// Whether these are all pairs.
    pub all_pairs: bool,
    /// `||X - U diag(c) U^T||^2 / ||X||^2`.
    pub loss: f64,
    /// Lower bound of the loss of any model with as many columns for this view alone: `1 -
    /// sum_{f<=F} l_f^2 / ||X||^2`.
    pub least_loss: f64,
    /// Whether this bound is exact; otherwise it comes from Ritz values and may be too large.
    pub least_loss_exact: bool,
}

/// The accuracy of a model, measured on the data it was fitted to. Its distances are those of the
/// factors: a scale that gives all rows of the embedding one length comes after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// One entry per view.
    pub views: Vec<ViewCertificate>,
    /// Separation of each axis in `[0, 1]`: the sine of the angle between its column of `C` (views
    /// scaled to norm one) and the nearest other one. With two views this is the separation of the
    /// eigenvalues of the pencil. Axes with separation zero may be rotated into each other without
    /// changing the model.
    pub axis_separation: Vec<f64>,
}

impl Certificate {
    /// The smallest separation of any axis that carries energy.
    pub fn least_separation(&self) -> f64 {
        self.axis_separation.iter().copied().fold(1.0, f64::min)
    }
}
