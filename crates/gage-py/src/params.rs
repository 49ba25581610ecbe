//! Wishes about a fit, as Python tells them.

use gage_embed::{
    CertificateParams, CheckedParams, Dimension, Directed, FitParams, Graph, Lambda, Precision,
    RefineParams, ViewSpec,
};
use serde::Deserialize;

use crate::errors::Fault;

/// The most columns a choice by energy may lead to, as on the command line.
const MOST_BY_ENERGY: usize = 256;

/// What the estimator was told.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wishes {
    preset: String,
    columns: Columns,
    directed: Directed,
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
    /// This many, or as many as there are nodes.
    AtMost(usize),
    /// The fewest that keep this share of the energy.
    Energy(f64),
}

impl Wishes {
    pub(crate) fn read(json: &str) -> Result<Wishes, Fault> {
        Ok(serde_json::from_str(json)?)
    }

    /// The parameters for a graph.
    pub(crate) fn params(&self, graph: &Graph) -> Result<FitParams, Fault> {
        let nodes = graph.nodes().len();
        let (seed, wishes) = (self.seed, self.clone());
        let params = FitParams {
            views: wishes.views,
            directed: wishes.directed,
            weights: wishes.weights,
            dimension: match self.columns {
                Columns::Fixed(columns) => Dimension::Fixed(columns),
                Columns::AtMost(columns) => Dimension::Fixed(columns.min(nodes)),
                Columns::Energy(share) => {
                    Dimension::Energy { share, most: nodes.min(MOST_BY_ENERGY) }
                }
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

    pub(crate) fn checked(&self, graph: &Graph) -> Result<CheckedParams, Fault> {
        Ok(self.params(graph)?.check()?)
    }
}

/// Shares of the views: one number for those that use links, or one for each view, or the model's own.
pub(crate) fn lambda(lam: Option<f64>, shares: Option<Vec<f64>>) -> Lambda {
    match (lam, shares) {
        (_, Some(shares)) => Lambda::PerView(shares),
        (Some(lam), None) => Lambda::Links(lam),
        (None, None) => Lambda::Preset,
    }
}
