//! What a model promises, measured.
//!
//! The model says `||y_i - y_j||^2 ~ sum_f c_kf (u_if - u_jf)^2` for every view. A certificate compares both sides over
//! pairs of nodes, states the loss and the least loss any model with as many columns could have, and says how well the
//! axes are determined.

mod bound;
mod distances;
mod separation;

use serde::{Deserialize, Serialize};

use crate::embedding::Model;
use crate::error::Error;
use crate::graph::Graph;
use crate::impute::{Missing, refill};
use crate::linalg::{LocalReducer, Numbers, Precision, Real, Tall};
use crate::solver::{Context, Observer, Problem, Stage};
use crate::views::Views;

pub(crate) use separation::axis_separation;

/// How thorough a certificate is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CertificateParams {
    /// Up to this many observed nodes all pairs are compared.
    pub all_pairs_nodes: usize,
    /// Otherwise this many independent groups of nodes are drawn,
    pub groups: usize,
    /// of this many nodes each, and all pairs within a group compared.
    pub group_nodes: usize,
    /// Up to this many nodes the least possible loss is computed from all eigenvalues; otherwise estimated.
    pub exact_bound_nodes: usize,
    /// Seed of the sampling.
    pub seed: u64,
}

impl Default for CertificateParams {
    fn default() -> Self {
        CertificateParams {
            all_pairs_nodes: 1024,
            groups: 16,
            group_nodes: 40,
            exact_bound_nodes: 1024,
            seed: 0,
        }
    }
}

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

/// What holds for one view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViewCertificate {
    /// Name of the view.
    pub view: String,
    /// `sqrt(sum (d_model - d_true)^2 / sum d_true^2)` over pairs of nodes, for squared distances `d`.
    pub distance_error: Estimate,
    /// Pairs compared.
    pub pairs: usize,
    /// Whether these are all pairs.
    pub all_pairs: bool,
    /// `||X - U diag(c) U^T||^2 / ||X||^2`.
    pub loss: f64,
    /// Least loss any model with as many columns could have for this view alone: `1 - sum_{f<=F} l_f^2 / ||X||^2`.
    pub least_loss: f64,
    /// Whether the least loss is exact; otherwise it is computed from Ritz values and may be somewhat too large.
    pub least_loss_exact: bool,
}

/// What a model promises, measured on the data it was fitted to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// One entry per view.
    pub views: Vec<ViewCertificate>,
    /// How well each axis is determined, in `[0, 1]`: the sine of the angle between its column of `C` (views scaled to
    /// norm one) and the nearest other one. With two views this is the separation of the pencil's eigenvalues; at zero
    /// two axes may be turned into each other without changing the model.
    pub axis_separation: Vec<f64>,
}

impl Certificate {
    /// The smallest separation of any axis that carries energy.
    pub fn least_separation(&self) -> f64 {
        self.axis_separation.iter().copied().fold(1.0, f64::min)
    }
}

/// Measures a model against a graph (the one it was fitted to, or a later state of it with the same nodes).
pub fn certify(
    model: &Model,
    graph: &Graph,
    params: &CertificateParams,
    observer: &dyn Observer,
) -> Result<Certificate, Error> {
    if graph.nodes().len() != model.nodes().len() {
        let reason = format!(
            "the model has {} nodes, the data {}; a certificate needs the same nodes",
            model.nodes().len(),
            graph.nodes().len()
        );
        return Err(Error::NewNodes { reason });
    }
    let ctx = Context::new(&LocalReducer, observer, 0);
    let fit = model.params();
    let specs = crate::fit::specs(graph, fit)?;
    // Single missing entries have no true value; the model's own estimate takes their place, as in the fit.
    let missing = Missing::find(graph, &specs);
    let filled = if missing.is_empty() {
        None
    } else {
        Some(refill(graph, graph, &missing, model.factors(), &LocalReducer)?.0)
    };
    let views = Views::build(filled.as_ref().unwrap_or(graph), &specs, Precision::F64)?;
    let problem = Problem::new(&views, fit.preset.balance, None, fit.seed, &ctx)?;
    let names_match = views.views().len() == model.views().len()
        && views.views().iter().zip(model.views()).all(|(a, b)| a.name == b.name);
    if !names_match {
        let reason = "the data does not have the views the model was fitted to".to_owned();
        return Err(Error::NewNodes { reason });
    }
    let u = match model.factors() {
        Numbers::F64(u) => u.clone(),
        Numbers::F32(u) => u.converted(),
    };
    let c: Vec<Vec<f64>> = model.views().iter().map(internal_coefficients).collect();
    measure(&problem, &u, &c, params, &ctx)
}

/// Coefficients of a view at Gram norm one.
pub(crate) fn internal_coefficients(view: &crate::embedding::FittedView) -> Vec<f64> {
    let unit = if view.balanced || view.gram_norm <= 0.0 { 1.0 } else { 1.0 / view.gram_norm };
    view.coefficients.iter().map(|c| c * unit).collect()
}

/// Measures factors against prepared views.
pub(crate) fn measure<T: Real>(
    problem: &Problem<'_>,
    u: &Tall<T>,
    c: &[Vec<f64>],
    params: &CertificateParams,
    ctx: &Context<'_>,
) -> Result<Certificate, Error> {
    let mut views = Vec::with_capacity(c.len());
    for (k, view) in problem.views.views().iter().enumerate() {
        let (distance_error, pairs, all_pairs) =
            distances::distance_error(problem, k, u, &c[k], params, ctx)?;
        let loss = bound::loss(problem, k, u, &c[k], ctx);
        ctx.tick(Stage::Certificate, 0, None)?;
        let (least_loss, least_loss_exact) = bound::least_loss(problem, k, u.cols(), params, ctx)?;
        views.push(ViewCertificate {
            view: view.name.clone(),
            distance_error,
            pairs,
            all_pairs,
            loss,
            least_loss,
            least_loss_exact,
        });
    }
    Ok(Certificate { views, axis_separation: axis_separation(c) })
}
