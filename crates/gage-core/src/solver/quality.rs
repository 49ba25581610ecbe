//! How well factors fit, and what follows for rows of nodes that lack views.

use faer::Mat;

use gage_linalg::Real;

use super::context::Context;
use super::factors::FullFactors;
use super::line_search::{ViewTerms, view_normal};
use super::problem::Problem;
use super::view_terms::view_terms;

/// How well factors fit, and what solving rows with them takes.
pub(crate) struct Quality {
    /// Absolute loss of every view.
    pub(crate) losses: Vec<f64>,
    /// Mean square of every column over the observed nodes.
    pub(crate) spread: Vec<f64>,
    /// `w_k^2 C_k G_k C_k` of every view.
    pub(crate) normals: Vec<Mat<f64>>,
}

/// Measures factors; no pass over the data.
pub(crate) fn quality<T: Real>(
    problem: &Problem<'_>,
    factors: &FullFactors<T>,
    ctx: &Context<'_>,
) -> Quality {
    let terms = view_terms(&problem.ops, &factors.u, &factors.energies, ctx.reducer);
    quality_of(problem, factors, &terms)
}

/// As [`quality`], from the terms of the factors.
pub(super) fn quality_of<T: Real>(
    problem: &Problem<'_>,
    factors: &FullFactors<T>,
    terms: &[ViewTerms],
) -> Quality {
    let losses = terms
        .iter()
        .zip(&factors.c)
        .zip(&problem.energies)
        .map(|((terms, c), energy)| energy + terms.loss(c))
        .collect();
    let count = problem.ops.iter().map(|op| op.observed()).fold(0.0, f64::max);
    let spread = (0..factors.u.cols())
        .map(|f| terms.iter().map(|t| t.gram[(f, f)]).fold(0.0, f64::max) / count.max(1.0))
        .collect();
    let normals =
        (0..terms.len()).map(|k| view_normal(k, terms, &factors.c, &problem.weights)).collect();
    Quality { losses, spread, normals }
}

/// The diagonal prior for rows that lack views: the noise `w_k^2 loss_k / n_k^2` of the views a
/// node does have, over the spread `|u_f|^2 / n` of each column. It vanishes on exact data.
pub(crate) fn row_prior<'p>(
    problem: &'p Problem<'_>,
    losses: &'p [f64],
    spread: &'p [f64],
    strength: f64,
) -> impl Fn(&[bool]) -> Vec<f64> + 'p {
    move |pattern: &[bool]| {
        let seen: Vec<usize> = (0..pattern.len()).filter(|&k| pattern[k]).collect();
        if seen.len() == pattern.len() || seen.is_empty() {
            return vec![0.0; spread.len()];
        }
        let noise = seen
            .iter()
            .map(|&k| {
                let n = problem.ops[k].observed();
                problem.weights[k].powi(2) * losses[k].max(0.0) / (n * n)
            })
            .sum::<f64>()
            / seen.len() as f64;
        spread.iter().map(|&v| if v > 0.0 { strength * noise / v } else { 0.0 }).collect()
    }
}
