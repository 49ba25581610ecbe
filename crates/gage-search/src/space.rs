//! The space that is searched: rows, metric, and the contribution of each view.

use serde::{Deserialize, Serialize};

use gage_core::Error;
use gage_core::graph::Nodes;
use gage_core::model::{FittedView, Lambda, Model};
use gage_linalg::{AnyTall, AnyTallRef, Real, Tall};

/// What near means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Large cosine of the angle between two rows.
    #[default]
    Cosine,
    /// Small squared distance between two rows.
    Distance,
}

/// A node near another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// Its position.
    pub node: usize,
    /// Cosine, or squared distance.
    pub value: f64,
    /// What each view contributes; adds up to the value. Empty where there are no views.
    pub by_view: Vec<f64>,
}

/// Rows of nodes, one number per column, and weights of the columns.
///
/// Both measures are sums over views, since `E(lambda)` weighs column `f` by `sum_k lambda_k c_kf`:
///
/// ```text
/// <e_i, e_j>      = sum_k lambda_k sum_f c_kf u_if u_jf
/// ||e_i - e_j||^2 = sum_k lambda_k sum_f c_kf (u_if - u_jf)^2
/// ```
#[derive(Clone, Debug)]
pub struct Space<'a> {
    /// Whose rows they are.
    pub nodes: &'a Nodes,
    /// One row per node: `U` of a model, or the rows of an embedding.
    pub rows: AnyTallRef<'a>,
    /// The views of the model; none for an embedding.
    pub views: Vec<FittedView>,
    /// Share of each view.
    pub shares: Vec<f64>,
    /// Weight of each column in each view, in the units of the embedding.
    pub(crate) weights: Vec<Vec<f64>>,
    /// Their sum over the views.
    pub(crate) total: Vec<f64>,
}

impl<'a> Space<'a> {
    /// The embedding of a model with the given shares. Where its rows get one length, distances are
    /// those of the rows before that; cosines are the same.
    pub fn of_model(model: &'a Model, lambda: &Lambda) -> Result<Space<'a>, Error> {
        let shares = model.shares(lambda)?;
        let factors = model.column_factors(lambda)?;
        let views = model.views().to_vec();
        let plain = |f: usize| -> f64 {
            views.iter().zip(&shares).map(|(view, share)| share * view.coefficients[f]).sum()
        };
        // The embedding may be rescaled as a whole; the parts are given in its units.
        let positive = (0..factors.len()).find(|&f| plain(f) > 0.0);
        let scale = positive.map_or(1.0, |f| factors[f].powi(2) / plain(f));
        let weights: Vec<Vec<f64>> = views
            .iter()
            .zip(&shares)
            .map(|(view, share)| view.coefficients.iter().map(|c| scale * share * c).collect())
            .collect();
        let total = (0..factors.len()).map(|f| weights.iter().map(|w| w[f]).sum()).collect();
        let rows = model.factors().as_ref();
        Ok(Space { nodes: model.nodes(), rows, views, shares, weights, total })
    }

    /// Rows as they are.
    pub fn of_embedding(nodes: &'a Nodes, numbers: &'a AnyTall) -> Space<'a> {
        Space {
            nodes,
            rows: numbers.as_ref(),
            views: Vec::new(),
            shares: Vec::new(),
            weights: Vec::new(),
            total: vec![1.0; numbers.cols()],
        }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.total.len()
    }

    /// Share of each view in the weight of each column, view by view; a column without weight
    /// belongs to none.
    pub(crate) fn parts(&self) -> Vec<f64> {
        let part = |w: &f64, t: &f64| if *t > 0.0 { w / t } else { 0.0 };
        self.weights
            .iter()
            .flat_map(|view| view.iter().zip(&self.total).map(|(w, t)| part(w, t)))
            .collect()
    }

    /// The rows as they are compared, in single precision, and whether each takes part: of length
    /// one for cosines, and weighted. Rows of zeros take no part (their nodes have no view at all),
    /// nor do those without a direction.
    pub(crate) fn prepared(&self, metric: Metric) -> (Tall<f32>, Vec<bool>) {
        match self.rows {
            AnyTallRef::F32(rows) => prepare(rows, &self.total, metric),
            AnyTallRef::F64(rows) => prepare(rows, &self.total, metric),
        }
    }
}

/// Whether a row can be near anything.
pub(crate) fn takes_part<T: Real>(row: &[T], total: &[f64], metric: Metric) -> bool {
    match metric {
        Metric::Cosine => length(row, total) > 0.0,
        Metric::Distance => row.iter().any(|x| x.to_f64() != 0.0),
    }
}

/// Length of a row as the columns weigh.
pub(crate) fn length<T: Real>(row: &[T], total: &[f64]) -> f64 {
    row.iter().zip(total).map(|(x, w)| w * x.to_f64() * x.to_f64()).sum::<f64>().sqrt()
}

fn prepare<T: Real>(rows: &Tall<T>, total: &[f64], metric: Metric) -> (Tall<f32>, Vec<bool>) {
    let factors: Vec<f64> = total.iter().map(|w| w.sqrt()).collect();
    let prepared = Tall::from_rows(rows.rows(), rows.cols(), |at, out: &mut [f32]| {
        let row = rows.row(at);
        let scale = match metric {
            Metric::Cosine => 1.0 / length(row, total).max(f64::MIN_POSITIVE),
            Metric::Distance => 1.0,
        };
        for ((out, x), factor) in out.iter_mut().zip(row).zip(&factors) {
            *out = (x.to_f64() * factor * scale) as f32;
        }
    });
    let present = (0..rows.rows()).map(|at| takes_part(rows.row(at), total, metric)).collect();
    (prepared, present)
}
