//! Options of a fit, as Python gives them.

use gage_embed::solver::RefineParams;
use gage_embed::views::{DirectedViews, ViewSpec};
use gage_embed::{
    CertificateParams, CheckedParams, Dimension, FitParams, Graph, Lambda, Precision,
};
use serde::Deserialize;

use crate::errors::BindingError;

/// The parameters of the estimator.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Options {
    preset: String,
    columns: Columns,
    directed: DirectedViews,
    weights: Option<Vec<f64>>,
    views: Option<Vec<ViewSpec>>,
    double: bool,
    seed: u64,
    tolerance: Option<f64>,
    refine: bool,
    certify: bool,
    loadings: bool,
}

/// How many columns.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Columns {
    /// This many.
    Fixed(usize),
    /// The default, or as many as there are nodes.
    Default,
    /// The fewest that keep this share of the energy.
    Energy(f64),
}

impl Options {
    pub(crate) fn read(json: &str) -> Result<Options, BindingError> {
        Ok(serde_json::from_str(json)?)
    }

    /// The parameters for a graph.
    pub(crate) fn params(&self, graph: &Graph) -> Result<FitParams, BindingError> {
        let nodes = graph.nodes().len();
        let (seed, options) = (self.seed, self.clone());
        let params = FitParams {
            views: options.views,
            directed: options.directed,
            weights: options.weights,
            dimension: match self.columns {
                Columns::Default => Dimension::default_for(nodes),
                Columns::Fixed(columns) => Dimension::Fixed(columns),
                Columns::Energy(share) => Dimension::by_energy(share, nodes),
            },
            precision: if self.double { Precision::F64 } else { Precision::F32 },
            seed,
            refine: self.refine.then(RefineParams::default),
            certificate: self.certify.then(|| CertificateParams { seed, ..Default::default() }),
            loadings: self.loadings,
            ..FitParams::preset(&self.preset)?
        };
        Ok(match self.tolerance {
            Some(tolerance) => params.until(tolerance),
            None => params,
        })
    }

    pub(crate) fn checked(&self, graph: &Graph) -> Result<CheckedParams, BindingError> {
        Ok(self.params(graph)?.check()?)
    }
}

/// Shares of the views: one number for those that use links, or one for each view, or the model's
/// own.
pub(crate) fn lambda(lam: Option<f64>, shares: Option<Vec<f64>>) -> Lambda {
    match (lam, shares) {
        (_, Some(shares)) => Lambda::PerView(shares),
        (Some(lam), None) => Lambda::Links(lam),
        (None, None) => Lambda::Preset,
    }
}
