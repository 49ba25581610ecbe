//! Shares of the views in the embedding.

use serde::{Deserialize, Serialize};

use crate::error::Error;

use super::fitted_view::FittedView;

/// Shares of the views in `E(lambda) = U diag(sqrt(sum_k lambda_k c_k))`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lambda {
    /// As the views say.
    #[default]
    Preset,
    /// This total share, in `[0, 1]`, for the views that use links; the rest for the others. Within
    /// each group the proportions of the views apply.
    Links(f64),
    /// One share per view; divided by their sum.
    PerView(Vec<f64>),
}

impl Lambda {
    /// Shares on the simplex, one per view.
    pub fn resolve(&self, views: &[FittedView]) -> Result<Vec<f64>, Error> {
        let shares: Vec<f64> = match self {
            Lambda::Preset => views.iter().map(|view| view.share).collect(),
            Lambda::Links(lambda) => by_links(*lambda, views)?,
            Lambda::PerView(shares) => shares.clone(),
        };
        if shares.len() != views.len() {
            return Err(Error::PerView {
                what: "shares",
                found: shares.len(),
                views: views.len(),
                names: views.iter().map(|v| v.name.as_str()).collect::<Vec<_>>().join(", "),
            });
        }
        let total: f64 = shares.iter().sum();
        if !(total > 0.0 && total.is_finite() && shares.iter().all(|s| *s >= 0.0)) {
            return Err(Error::Shares { found: shares });
        }
        Ok(shares.iter().map(|share| share / total).collect())
    }
}

/// Shares with this total on the views that use links.
fn by_links(lambda: f64, views: &[FittedView]) -> Result<Vec<f64>, Error> {
    if !(0.0..=1.0).contains(&lambda) {
        return Err(Error::Parameter {
            name: "lambda",
            value: lambda.to_string(),
            bound: "between 0 and 1",
        });
    }
    let group = |links: bool| views.iter().filter(move |view| view.uses_links == links);
    let share = |view: &FittedView| {
        let part = if view.uses_links { lambda } else { 1.0 - lambda };
        let total: f64 = group(view.uses_links).map(|view| view.share).sum();
        // A group whose shares are all zero is divided evenly.
        if total > 0.0 {
            part * view.share / total
        } else {
            part / group(view.uses_links).count().max(1) as f64
        }
    };
    Ok(views.iter().map(share).collect())
}
