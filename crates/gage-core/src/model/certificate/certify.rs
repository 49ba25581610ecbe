//! A model measured against a graph.

use crate::error::Error;
use crate::graph::Graph;
use crate::impute::{Missing, refill};
use crate::model::{FittedView, Model};
use crate::params::{CertificateParams, specs};
use crate::progress::{Observer, Stage};
use crate::solver::{Context, Problem};
use crate::views::Views;
use gage_linalg::{AnyTall, LocalReducer, Precision, Tall, Workspace};

use super::measure::measure;
use super::record::Certificate;

/// Measures a model against a graph: the one it was fitted to, or a later state of it with the same
/// nodes.
pub fn certify(
    model: &Model,
    graph: &Graph,
    params: &CertificateParams,
    observer: &dyn Observer,
) -> Result<Certificate, Error> {
    Error::catch_memory(|| Stage::Certificate, || measure_on(model, graph, params, observer))
}

fn measure_on(
    model: &Model,
    graph: &Graph,
    params: &CertificateParams,
    observer: &dyn Observer,
) -> Result<Certificate, Error> {
    on_views_of(model, graph, observer, |measured, ctx| {
        measure(measured.problem, &measured.u, &measured.c, params, ctx)
    })
}

/// A model and the views of a graph that it is measured against.
pub(super) struct Measured<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) u: Tall<f64>,
    /// Coefficients at Gram norm one.
    pub(super) c: Vec<Vec<f64>>,
}

/// Prepares the views of a graph as the fit did, and does something with them and the model.
pub(super) fn on_views_of<R>(
    model: &Model,
    graph: &Graph,
    observer: &dyn Observer,
    work: impl FnOnce(&Measured<'_>, &Context<'_>) -> Result<R, Error>,
) -> Result<R, Error> {
    if graph.nodes().len() != model.nodes().len() {
        let reason = format!(
            "the model has {} nodes, the data {}, but a certificate needs the same nodes",
            model.nodes().len(),
            graph.nodes().len()
        );
        return Err(Error::NewNodes { reason });
    }
    let workspace = Workspace::default();
    let ctx = Context::new(&LocalReducer, observer, &workspace, 0);
    let fit = model.params();
    let specs = specs(graph, fit)?;
    // Missing entries have no true value. As in the fit, the model's estimates replace them.
    let missing = Missing::find(graph, &specs);
    let filled = if missing.is_empty() {
        None
    } else {
        Some(refill(graph, graph, &missing, model.factors())?.0)
    };
    let views = Views::build_rows(
        filled.as_ref().unwrap_or(graph),
        &specs,
        Precision::F64,
        &LocalReducer,
        &workspace,
    )?;
    let problem = Problem::new(&views, fit.preset.balance, None, fit.seed, &ctx)?;
    let names_match = views.views().len() == model.views().len()
        && views.views().iter().zip(model.views()).all(|(a, b)| a.name == b.name);
    if !names_match {
        let reason = "the data does not have the views the model was fitted to".to_owned();
        return Err(Error::NewNodes { reason });
    }
    let u = match model.factors() {
        AnyTall::F64(u) => u.clone(),
        AnyTall::F32(u) => u.converted(),
    };
    let c: Vec<Vec<f64>> = model.views().iter().map(internal_coefficients).collect();
    work(&Measured { problem: &problem, u, c }, &ctx)
}

/// Coefficients of a view at Gram norm one.
fn internal_coefficients(view: &FittedView) -> Vec<f64> {
    let unit = if view.balanced || view.gram_norm <= 0.0 { 1.0 } else { 1.0 / view.gram_norm };
    view.coefficients.iter().map(|c| c * unit).collect()
}
