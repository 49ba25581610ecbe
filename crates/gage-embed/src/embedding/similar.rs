//! Nearest nodes, and which views make them near.
//!
//! Both measures are sums over views, since `E(lambda)` weighs column `f` by `sum_k lambda_k c_kf`:
//!
//! ```text
//! <e_i, e_j>     = sum_k lambda_k sum_f c_kf u_if u_jf
//! ||e_i - e_j||^2 = sum_k lambda_k sum_f c_kf (u_if - u_jf)^2
//! ```

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::linalg::{Numbers, Real, Tall};

use super::model::Model;
use super::shares::Lambda;

/// What near means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Nearness {
    /// The largest cosine.
    #[default]
    Cosine,
    /// The smallest squared distance.
    Distance,
}

/// A node near another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// The node.
    pub node: usize,
    /// Cosine, or squared distance.
    pub value: f64,
    /// What each view contributes; adds up to `value`.
    pub by_view: Vec<f64>,
}

impl Model {
    /// The `count` nodes nearest to a node in `E(lambda)`, nearest first, by comparing with all of them; `None` when
    /// the node itself has no view, so that nothing is near it. Cost O(n F).
    pub fn nearest(
        &self,
        node: usize,
        count: usize,
        lambda: &Lambda,
        nearness: Nearness,
    ) -> Result<Option<Vec<Neighbour>>, Error> {
        if node >= self.nodes.len() {
            let bound = "the position of a node";
            return Err(Error::Parameter { name: "node", value: node.to_string(), bound });
        }
        let shares = self.shares(lambda)?;
        // Coefficients of each view in the units of the embedding, which may be rescaled as a whole.
        let scale = scale(self, &self.column_factors(lambda)?, &shares);
        let weights: Vec<Vec<f64>> = self
            .views
            .iter()
            .zip(&shares)
            .map(|(view, share)| view.coefficients.iter().map(|c| scale * share * c).collect())
            .collect();
        Ok(match &self.factors {
            Numbers::F32(u) => nearest(u, &weights, node, count, nearness),
            Numbers::F64(u) => nearest(u, &weights, node, count, nearness),
        })
    }
}

/// The number that embeddings are multiplied by, squared.
fn scale(model: &Model, factors: &[f64], shares: &[f64]) -> f64 {
    let plain = |f: usize| -> f64 {
        model.views.iter().zip(shares).map(|(view, share)| share * view.coefficients[f]).sum()
    };
    (0..factors.len()).find(|&f| plain(f) > 0.0).map_or(1.0, |f| factors[f].powi(2) / plain(f))
}

/// The nearest nodes, by brute force over all rows; `None` when the node itself has no row.
fn nearest<T: Real>(
    u: &Tall<T>,
    weights: &[Vec<f64>],
    node: usize,
    count: usize,
    nearness: Nearness,
) -> Option<Vec<Neighbour>> {
    let columns = u.cols();
    let total: Vec<f64> = (0..columns).map(|f| weights.iter().map(|w| w[f]).sum()).collect();
    let own: Vec<f64> = u.row(node).iter().map(|x| x.to_f64()).collect();
    let length = |row: &[T]| -> f64 {
        row.iter().zip(&total).map(|(x, w)| w * x.to_f64() * x.to_f64()).sum::<f64>().sqrt()
    };
    if u.row(node).iter().all(|x| x.to_f64() == 0.0) {
        return None;
    }
    let own_length = length(u.row(node));
    let mut order: Vec<(f64, usize)> = (0..u.rows())
        .into_par_iter()
        .filter(|&other| other != node && u.row(other).iter().any(|x| x.to_f64() != 0.0))
        .map(|other| {
            let row = u.row(other);
            let terms = own.iter().zip(row).zip(&total);
            let key = match nearness {
                Nearness::Cosine => {
                    let dot: f64 = terms.map(|((x, y), w)| w * x * y.to_f64()).sum();
                    let lengths = own_length * length(row);
                    // Largest first; a row without length has no direction and comes last.
                    if lengths > 0.0 { -dot / lengths } else { f64::INFINITY }
                }
                Nearness::Distance => terms.map(|((x, y), w)| w * (x - y.to_f64()).powi(2)).sum(),
            };
            (key, other)
        })
        .collect();
    let by_key = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let wanted = count.min(order.len());
    if wanted < order.len() && wanted > 0 {
        order.select_nth_unstable_by(wanted - 1, by_key);
    }
    order.truncate(wanted);
    order.sort_by(by_key);
    let found = order.into_iter().map(|(_, other)| {
        let row = u.row(other);
        let parts: Vec<f64> = weights
            .iter()
            .map(|w| {
                let terms = own.iter().zip(row).zip(w);
                match nearness {
                    Nearness::Cosine => {
                        let dot: f64 = terms.map(|((x, y), w)| w * x * y.to_f64()).sum();
                        dot / (own_length * length(row)).max(f64::MIN_POSITIVE)
                    }
                    Nearness::Distance => {
                        terms.map(|((x, y), w)| w * (x - y.to_f64()).powi(2)).sum()
                    }
                }
            })
            .collect();
        Neighbour { node: other, value: parts.iter().sum(), by_view: parts }
    });
    Some(found.collect())
}
