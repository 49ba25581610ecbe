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
    /// This total share, in `[0, 1]`, for the views that use links: views of links, and attributes
    /// smoothed over them. The rest is for the others. Within each end the proportions of the views
    /// apply. All views have part in the common factors, whatever their share.
    Links(f64),
    /// One share per view; divided by their sum.
    PerView(Vec<f64>),
}

/// Names of the views at the two ends of [`Lambda::Links`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LambdaEnds {
    /// Views that use links, which share lambda.
    pub links: Vec<String>,
    /// The others, which share the rest.
    pub others: Vec<String>,
}

impl LambdaEnds {
    /// The ends that these views have; `(name, uses_links)` each.
    pub fn new<'a>(views: impl IntoIterator<Item = (&'a str, bool)>) -> LambdaEnds {
        let mut ends = LambdaEnds::default();
        for (name, uses_links) in views {
            let end = if uses_links { &mut ends.links } else { &mut ends.others };
            end.push(name.to_owned());
        }
        ends
    }

    /// Refuses a value that gives a share to an end without views: it would have no effect.
    pub fn check(&self, lambda: f64) -> Result<(), Error> {
        if !(0.0..=1.0).contains(&lambda) {
            let (name, value) = ("lambda", lambda.to_string());
            return Err(Error::Parameter { name, value, bound: "between 0 and 1" });
        }
        let (end, share, possible, views) = match (&self.links[..], &self.others[..]) {
            ([], others) if lambda > 0.0 => ("that use links", lambda, 0, others),
            (links, []) if lambda < 1.0 => ("that use no links", 1.0 - lambda, 1, links),
            _ => return Ok(()),
        };
        Err(Error::EmptyEnd { lambda, share, end, views: views.join(", "), possible })
    }
}

impl std::fmt::Display for LambdaEnds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = |end: &[String]| match end {
            [] => "no view".to_owned(),
            names => names.join(", "),
        };
        write!(f, "lambda to {}, the rest to {}", names(&self.links), names(&self.others))
    }
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
    LambdaEnds::new(views.iter().map(|view| (view.name.as_str(), view.uses_links)))
        .check(lambda)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_without_views_gets_no_share() {
        let both = LambdaEnds::new([("links", true), ("words", false)]);
        assert!([0.0, 0.3, 1.0].iter().all(|&lambda| both.check(lambda).is_ok()));
        assert_eq!(both.to_string(), "lambda to links, the rest to words");
        let links = LambdaEnds::new([("links", true), ("two-steps", true)]);
        assert!(links.check(1.0).is_ok());
        let refused = links.check(0.25).unwrap_err().to_string();
        assert!(refused.contains("0.75 of the embedding to views that use no links"), "{refused}");
        assert!(refused.ends_with("the views are links, two-steps"), "{refused}");
        let words = LambdaEnds::new([("words", false)]);
        assert!(words.check(0.0).is_ok() && words.check(1e-9).is_err());
        assert!([-0.1, 1.5, f64::NAN].iter().all(|&lambda| both.check(lambda).is_err()));
    }
}
