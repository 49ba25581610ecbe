//! Alternating least squares on the core tensor.
//!
//! One sweep: with `C` fixed, the least-squares answer for the left factor given the right one is
//! `U+ = (sum_k w_k^2 S_k U C_k) A^-1`, `A = sum_k w_k^2 C_k U^T U C_k` (the update of the paper's Algorithm 2). The paper
//! then updates the right factor likewise and lets the two drift apart; we keep one `U` and use `U+ - U` as a search
//! direction: it is the negative gradient preconditioned by `A`, conjugated with the previous direction, and the step
//! along it is the exact minimiser of a quartic. Then `C` by non-negative least squares. So the model stays symmetric
//! and `C >= 0`, the loss never rises, and fewer sweeps are needed. Cost per sweep `O(K p^2 F + F^3)`.

use std::sync::Arc;

use faer::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::progress::StopReason;
use gage_linalg::small::{PsdSolver, add_scaled, column_products, dot, norm_squared};

use super::core_tensor::{CoreFactors, CoreTensor};
use super::line_search::{
    DirectionTerms, GramAlong, ViewTerms, advanced, minimise, quartic, row_normal, sharing,
};
use super::nnls::Nnls;

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
    let mut best = old.to_vec();
    for views in sharing(terms) {
        let nnls = Nnls::new(terms[views[0]].normal());
        let better = views.par_iter().filter_map(|&k| {
            let new = nnls.solve(&terms[k].energy, Some(&old[k]));
            (terms[k].loss(&new) <= terms[k].loss(&old[k])).then_some((k, new))
        });
        let better: Vec<(usize, Vec<f64>)> = better.collect();
        better.into_iter().for_each(|(k, new)| best[k] = new);
    }
    best
}

/// Lowers the loss on the core, starting from `factors`.
pub(crate) fn core_als(
    core: &CoreTensor,
    factors: CoreFactors,
    params: CoreAlsParams,
) -> (CoreFactors, CoreAlsInfo) {
    let CoreFactors { mut u, mut c } = factors;
    let energy = core.energy();
    let loss_at = |terms: &[ViewTerms], c: &[Vec<f64>]| -> f64 {
        let views = terms.iter().zip(c).zip(&core.weights);
        energy + views.map(|((t, c), w)| w * w * t.loss(c)).sum::<f64>()
    };
    let mut products = core.times(&u);
    let mut terms = terms_of(&u, &products);
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
        let normal = row_normal(&terms, &c, &core.weights);
        // Operations of a product as large as `U^T U`.
        let flops = 2 * u.nrows() * u.ncols().pow(2);
        let (solver, mut residual) =
            core.workspace.count_small(flops + u.ncols().pow(3) / 3, || {
                rayon::join(
                    || PsdSolver::new(normal.as_ref()),
                    || faer::Scale(-1.0) * (&u * &normal),
                )
            });
        for (k, product) in products.iter().enumerate() {
            for (j, (sum, column)) in residual.col_iter_mut().zip(product.col_iter()).enumerate() {
                let factor = core.weights[k].powi(2) * c[k][j];
                sum.iter_mut().zip(column.iter()).for_each(|(sum, x)| *sum += factor * x);
            }
        }
        let step = core.workspace.count_small(flops, || solver.solve_rows(residual.as_ref()));
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
        let (steps, gram) = core.workspace.count_small(core.times_flops(&u) + 2 * flops, || {
            let (mixed, own) =
                (|| u.transpose() * &direction, || direction.transpose() * &direction);
            rayon::join(|| core.times_uncounted(&direction), || GramAlong::new(&mixed(), own()))
        });
        let gram = Arc::new(gram);
        let along = steps.par_iter().map(|step| DirectionTerms {
            mixed_energy: column_products(&u, step),
            energy: column_products(&direction, step),
            gram: Arc::clone(&gram),
        });
        let along: Vec<DirectionTerms> = along.collect();
        let (length, _) = minimise(&quartic(&terms, &along, &c, &core.weights));
        let moved_terms = advanced(&terms, &along, length);
        let moved_c = best_coefficients(&moved_terms, &c);
        let moved_loss = loss_at(&moved_terms, &moved_c);
        if length == 0.0 || moved_loss.is_nan() || moved_loss >= loss {
            stop = StopReason::NoProgress;
            break;
        }
        let gain = loss - moved_loss;
        add_scaled(&mut u, length, &direction);
        let moved = products.par_iter_mut().zip(&steps);
        moved.for_each(|(product, step)| add_scaled(product, length, step));
        (c, terms, loss) = (moved_c, moved_terms, moved_loss);
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

/// What the loss needs of a `U`, given all `S_k U`. It is quadratic in `U`, so a step along a direction needs no products with
/// the slabs but those of the direction.
fn terms_of(u: &Mat<f64>, products: &[Mat<f64>]) -> Vec<ViewTerms> {
    let gram = Arc::new(u.transpose() * u);
    let terms = |product| ViewTerms { energy: column_products(u, product), gram: gram.clone() };
    products.iter().map(terms).collect()
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
