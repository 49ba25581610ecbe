//! Alternating least squares on the core tensor.
//!
//! One sweep: with `C` fixed, the least-squares answer for the left factor given the right one is
//! `U+ = (sum_k w_k^2 S_k U C_k) A^-1`, `A = sum_k w_k^2 C_k U^T U C_k` (the update of the paper's Algorithm 2). The paper
//! then updates the right factor likewise and lets the two drift apart; we keep one `U` and use `U+ - U` as a search
//! direction: it is the negative gradient preconditioned by `A`, conjugated with the previous direction, and the step
//! along it is the exact minimiser of a quartic. Then `C` by non-negative least squares. So the model stays symmetric
//! and `C >= 0`, the loss never rises, and fewer sweeps are needed. Cost per sweep `O(K p^2 F + F^3)`.

use std::borrow::Cow;
use std::sync::Arc;

use faer::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::linalg::small::{PsdSolver, add_scaled, column_products, dot, norm_squared};

use super::core_tensor::{CoreFactors, CoreTensor};
use super::line_search::{DirectionTerms, ViewTerms, minimise, quartic};
use super::nnls::nnls_from;
use super::observe::StopReason;

/// When the iteration on the core stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CoreAlsParams {
    pub(crate) max_sweeps: usize,
    /// Stop when a sweep lowers the loss by less than this share of it.
    pub(crate) tolerance: f64,
}

/// What the iteration on the core did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreAlsInfo {
    /// Sweeps done.
    pub sweeps: usize,
    /// Loss on the core relative to its energy, before the first and after every sweep; never rises.
    pub loss_history: Vec<f64>,
    /// Why it stopped.
    pub stop: StopReason,
}

/// The preconditioned conjugate direction of one factor update, shared by the core and the full-size iteration.
pub(crate) fn conjugation(new_by_new: f64, old_by_new: f64, old_by_old: f64) -> f64 {
    // Polak-Ribiere, restarted when it would turn back.
    let beta = (new_by_new - old_by_new) / old_by_old;
    if beta.is_finite() { beta.clamp(0.0, 10.0) } else { 0.0 }
}

/// The best non-negative coefficients for every view; a view keeps its old ones if rounding made the new ones worse.
pub(crate) fn best_coefficients(terms: &[ViewTerms], old: &[Vec<f64>]) -> Vec<Vec<f64>> {
    // Views that observe the same nodes have one Gram matrix.
    let same = |first: &&ViewTerms| terms.iter().all(|t| Arc::ptr_eq(&t.gram, &first.gram));
    let shared = terms.first().filter(same).map(ViewTerms::normal);
    terms
        .par_iter()
        .zip(old)
        .map(|(terms, old)| {
            let normal = shared.as_ref().map_or_else(|| Cow::Owned(terms.normal()), Cow::Borrowed);
            let new = nnls_from(normal.as_ref().as_ref(), &terms.energy, old);
            if terms.loss(&new) <= terms.loss(old) { new } else { old.clone() }
        })
        .collect()
}

/// `w^2 C G C` for one view: its part of the normal matrix of a row.
pub(crate) fn row_normal(gram: &Mat<f64>, c: &[f64], weight: f64) -> Mat<f64> {
    Mat::from_fn(c.len(), c.len(), |i, j| weight * weight * c[i] * c[j] * gram[(i, j)])
}

/// Lowers the loss on the core, starting from `factors`.
pub(crate) fn core_als(
    core: &CoreTensor,
    factors: CoreFactors,
    params: CoreAlsParams,
) -> (CoreFactors, CoreAlsInfo) {
    let CoreFactors { mut u, mut c } = factors;
    let energy = core.energy();
    let mut at = Position::new(core, &u);
    let loss_at = |terms: &[ViewTerms], c: &[Vec<f64>]| -> f64 {
        let views = terms.iter().zip(c).zip(&core.weights);
        energy + views.map(|((t, c), w)| w * w * t.loss(c)).sum::<f64>()
    };
    let mut terms = at.terms(&u);
    c = best_coefficients(&terms, &c);
    let mut loss = loss_at(&terms, &c);
    let relative = |loss: f64| if energy > 0.0 { (loss / energy).max(0.0) } else { 0.0 };
    let mut history = vec![relative(loss)];
    let mut stop = StopReason::IterationLimit;
    let mut previous: Option<(Mat<f64>, Mat<f64>, f64)> = None;
    // Below this the loss is rounding error of the energy.
    let floor = 1e-14 * energy;
    for _ in 0..params.max_sweeps {
        if loss <= floor {
            stop = StopReason::Converged;
            break;
        }
        let f = u.ncols();
        let mut normal = Mat::<f64>::zeros(f, f);
        let mut residual = Mat::<f64>::zeros(u.nrows(), f);
        for (k, product) in at.products.iter().enumerate() {
            let weight = core.weights[k];
            normal += row_normal(&terms[k].gram, &c[k], weight);
            for (j, (sum, column)) in residual.col_iter_mut().zip(product.col_iter()).enumerate() {
                let factor = weight * weight * c[k][j];
                sum.iter_mut().zip(column.iter()).for_each(|(sum, x)| *sum += factor * x);
            }
        }
        residual -= &u * &normal;
        let step = PsdSolver::new(normal.as_ref()).solve_rows(residual.as_ref());
        let new_by_new = dot(residual.as_ref(), step.as_ref());
        let direction = match &previous {
            Some((old_residual, old_direction, old_by_old)) => {
                let mixed = dot(old_residual.as_ref(), step.as_ref());
                let beta = conjugation(new_by_new, mixed, *old_by_old);
                let candidate = &step + faer::Scale(beta) * old_direction;
                // Not a descent direction any more: start afresh.
                if dot(candidate.as_ref(), residual.as_ref()) > 0.0 {
                    candidate
                } else {
                    step.clone()
                }
            }
            None => step.clone(),
        };
        let (along, mixed_gram) =
            rayon::join(|| Position::new(core, &direction), || u.transpose() * &direction);
        let mixed_gram = Arc::new(mixed_gram);
        let parts = (0..core.slabs.len()).into_par_iter().map(|k| {
            let along = DirectionTerms {
                mixed_energy: column_products(&u, &along.products[k]),
                energy: column_products(&direction, &along.products[k]),
                mixed_gram: Arc::clone(&mixed_gram),
                gram: Arc::clone(&along.gram),
            };
            quartic(&terms[k], &along, &c[k], core.weights[k].powi(2))
        });
        let parts: Vec<[f64; 5]> = parts.collect();
        let polynomial = parts.into_iter().fold([0.0; 5], |mut sum, part| {
            sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
            sum
        });
        let (length, _) = minimise(&polynomial);
        let mut moved = u.clone();
        add_scaled(&mut moved, length, &direction);
        at.advance(length, &along, &mixed_gram);
        let moved_terms = at.terms(&moved);
        let moved_c = best_coefficients(&moved_terms, &c);
        let moved_loss = loss_at(&moved_terms, &moved_c);
        if length == 0.0 || moved_loss.is_nan() || moved_loss >= loss {
            stop = StopReason::NoProgress;
            break;
        }
        let gain = loss - moved_loss;
        (u, c, terms, loss) = (moved, moved_c, moved_terms, moved_loss);
        history.push(relative(loss));
        previous = Some((residual, direction, new_by_new));
        if gain < params.tolerance * loss.max(floor) {
            stop = StopReason::Converged;
            break;
        }
    }
    balance_columns(&mut u, &mut c);
    let info = CoreAlsInfo { sweeps: history.len() - 1, loss_history: history, stop };
    (CoreFactors { u, c }, info)
}

/// What the loss needs of a `U`. All of it is linear or quadratic in `U`, so a step along a direction needs no products
/// with the slabs but those of the direction.
struct Position {
    /// `S_k U`.
    products: Vec<Mat<f64>>,
    /// `U^T U`.
    gram: Arc<Mat<f64>>,
}

impl Position {
    fn new(core: &CoreTensor, u: &Mat<f64>) -> Position {
        let products = || core.slabs.par_iter().map(|slab| slab * u).collect();
        let (products, gram) = rayon::join(products, || u.transpose() * u);
        Position { products, gram: Arc::new(gram) }
    }

    /// Goes along a direction `D`; `mixed` is `U^T D`.
    fn advance(&mut self, length: f64, along: &Position, mixed: &Mat<f64>) {
        let products = self.products.par_iter_mut().zip(&along.products);
        products.for_each(|(at, along)| add_scaled(at, length, along));
        let (gram, along) = (&self.gram, &along.gram);
        self.gram = Arc::new(Mat::from_fn(gram.nrows(), gram.ncols(), |i, j| {
            let cross = mixed[(i, j)] + mixed[(j, i)];
            gram[(i, j)] + length * (cross + length * along[(i, j)])
        }));
    }

    fn terms(&self, u: &Mat<f64>) -> Vec<ViewTerms> {
        let terms = |product| ViewTerms {
            energy: column_products(u, product),
            gram: Arc::clone(&self.gram),
        };
        self.products.par_iter().map(terms).collect()
    }
}

/// Columns of length one; their scale goes into the coefficients.
fn balance_columns(u: &mut Mat<f64>, c: &mut [Vec<f64>]) {
    for f in 0..u.ncols() {
        let square = norm_squared(u.subcols(f, 1));
        if square > 0.0 {
            c.iter_mut().for_each(|c| c[f] *= square);
            (0..u.nrows()).for_each(|i| u[(i, f)] /= square.sqrt());
        }
    }
}
