//! Alternating least squares on the core tensor.
//!
//! One sweep: with `C` fixed, the least-squares answer for the left factor given the right one is
//! `U+ = (sum_k w_k^2 S_k U C_k) A^-1`, `A = sum_k w_k^2 C_k U^T U C_k` (the update of the paper's
//! Algorithm 2). The paper then updates the right factor likewise and lets the two drift apart; we
//! keep one `U` and use `U+ - U` as a search direction: it is the negative gradient preconditioned
//! by `A`, conjugated with the previous direction, and the step along it is the exact minimiser of
//! a quartic. Then `C` by non-negative least squares. So the model stays symmetric and `C >= 0`,
//! the loss never rises, and fewer sweeps are needed. Cost per sweep `O(K p^2 F + F^3)`.

use std::sync::Arc;

use faer::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::progress::StopReason;
use gage_linalg::small::{PsdSolver, add_scaled, column_products, dot, norm_squared};

use super::core_tensor::{CoreFactors, CoreTensor};
use super::line_search::{
    DirectionTerms, GramAlong, ViewTerms, advanced, quartic, row_normal, sharing,
};
use super::nnls::Nnls;
use super::quartic::minimise;

/// When the iteration on the core stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CoreAlsParams {
    pub(crate) max_sweeps: usize,
    /// Stop when a sweep lowers the loss by less than this share of it.
    pub(crate) tolerance: f64,
}

impl CoreAlsParams {
    /// At most so many sweeps.
    pub(crate) fn new(max_sweeps: usize) -> CoreAlsParams {
        CoreAlsParams { max_sweeps, tolerance: 1e-5 }
    }
}

/// What the iteration on the core did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreAlsInfo {
    /// Sweeps done.
    pub sweeps: usize,
    /// Loss on the core relative to its energy, before the first and after every sweep; never
    /// rises.
    pub loss_history: Vec<f64>,
    /// Why it stopped.
    pub stop: StopReason,
}

/// The preconditioned conjugate direction of one factor update, shared by the core and the
/// full-size iteration.
pub(crate) fn conjugation(new_by_new: f64, old_by_new: f64, old_by_old: f64) -> f64 {
    // Polak-Ribiere, restarted when it would turn back.
    let beta = (new_by_new - old_by_new) / old_by_old;
    if beta.is_finite() { beta.clamp(0.0, 10.0) } else { 0.0 }
}

/// The best non-negative coefficients for every view; a view keeps its old ones if rounding made
/// the new ones worse.
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
    let mut state = CoreAls::new(core, factors);
    let mut history = vec![state.relative_loss()];
    let mut stop = StopReason::IterationLimit;
    // Below this the loss is rounding error of the energy.
    let floor = 1e-14 * state.energy;
    for _ in 0..params.max_sweeps {
        let before = state.loss;
        if before <= floor {
            stop = StopReason::Converged;
            break;
        }
        if !state.sweep() {
            stop = StopReason::NoProgress;
            break;
        }
        history.push(state.relative_loss());
        if before - state.loss < params.tolerance * state.loss.max(floor) {
            stop = StopReason::Converged;
            break;
        }
    }
    let CoreAls { mut u, mut c, .. } = state;
    balance_columns(&mut u, &mut c);
    let info = CoreAlsInfo { sweeps: history.len() - 1, loss_history: history, stop };
    (CoreFactors { u, c }, info)
}

/// The state of the iteration.
struct CoreAls<'a> {
    core: &'a CoreTensor,
    /// `sum_k w_k^2 ||S_k||^2`.
    energy: f64,
    u: Mat<f64>,
    c: Vec<Vec<f64>>,
    /// All `S_k U`.
    products: Vec<Mat<f64>>,
    terms: Vec<ViewTerms>,
    loss: f64,
    /// Last residual, last direction, and the product of residual and step.
    previous: Option<(Mat<f64>, Mat<f64>, f64)>,
}

impl<'a> CoreAls<'a> {
    fn new(core: &'a CoreTensor, factors: CoreFactors) -> CoreAls<'a> {
        let CoreFactors { u, c } = factors;
        let energy = core.energy();
        let products = core.times(&u);
        let terms = terms_of(&u, &products);
        let c = best_coefficients(&terms, &c);
        let loss = loss_at(core, energy, &terms, &c);
        CoreAls { core, energy, u, c, products, terms, loss, previous: None }
    }

    fn relative_loss(&self) -> f64 {
        if self.energy > 0.0 { (self.loss / self.energy).max(0.0) } else { 0.0 }
    }

    /// One sweep, unless it would not lower the loss.
    fn sweep(&mut self) -> bool {
        let (residual, direction, new_by_new) = self.direction();
        let (steps, along) = self.along(&direction);
        let weights = &self.core.weights;
        let (length, _) = minimise(&quartic(&self.terms, &along, &self.c, weights));
        let moved_terms = advanced(&self.terms, &along, length);
        let moved_c = best_coefficients(&moved_terms, &self.c);
        let moved_loss = loss_at(self.core, self.energy, &moved_terms, &moved_c);
        if length == 0.0 || moved_loss.is_nan() || moved_loss >= self.loss {
            return false;
        }
        add_scaled(&mut self.u, length, &direction);
        let moved = self.products.par_iter_mut().zip(&steps);
        moved.for_each(|(product, step)| add_scaled(product, length, step));
        (self.c, self.terms, self.loss) = (moved_c, moved_terms, moved_loss);
        self.previous = Some((residual, direction, new_by_new));
        true
    }

    /// Operations of a product as large as `U^T U`.
    fn square_flops(&self) -> usize {
        2 * self.u.nrows() * self.u.ncols().pow(2)
    }

    /// The negative gradient, the search direction, and the product of the gradient with its step.
    fn direction(&self) -> (Mat<f64>, Mat<f64>, f64) {
        let (u, flops) = (&self.u, self.square_flops());
        let normal = row_normal(&self.terms, &self.c, &self.core.weights);
        let (solver, mut residual) =
            self.core.workspace.count_small(flops + u.ncols().pow(3) / 3, || {
                rayon::join(
                    || PsdSolver::new(normal.as_ref()),
                    || faer::Scale(-1.0) * (u * &normal),
                )
            });
        for (k, product) in self.products.iter().enumerate() {
            for (j, (sum, column)) in residual.col_iter_mut().zip(product.col_iter()).enumerate() {
                let factor = self.core.weights[k].powi(2) * self.c[k][j];
                sum.iter_mut().zip(column.iter()).for_each(|(sum, x)| *sum += factor * x);
            }
        }
        let step = self.core.workspace.count_small(flops, || solver.solve_rows(residual.as_ref()));
        let new_by_new = dot(residual.as_ref(), step.as_ref());
        let Some((old_residual, old_direction, old_by_old)) = &self.previous else {
            return (residual, step, new_by_new);
        };
        let mixed = dot(old_residual.as_ref(), step.as_ref());
        let beta = conjugation(new_by_new, mixed, *old_by_old);
        let candidate = &step + faer::Scale(beta) * old_direction;
        // Not a descent direction any more: start afresh.
        let descends = dot(candidate.as_ref(), residual.as_ref()) > 0.0;
        let direction = if descends { candidate } else { step };
        (residual, direction, new_by_new)
    }

    /// All `S_k D` of a direction `D`, and the terms along it.
    fn along(&self, direction: &Mat<f64>) -> (Vec<Mat<f64>>, Vec<DirectionTerms>) {
        let (core, u) = (self.core, &self.u);
        let (steps, gram) =
            self.core.workspace.count_small(core.times_flops(u) + 2 * self.square_flops(), || {
                let (mixed, own) =
                    (|| u.transpose() * direction, || direction.transpose() * direction);
                rayon::join(|| core.times_uncounted(direction), || GramAlong::new(&mixed(), own()))
            });
        let gram = Arc::new(gram);
        let along = steps.par_iter().map(|step| DirectionTerms {
            mixed_energy: column_products(u, step),
            energy: column_products(direction, step),
            gram: Arc::clone(&gram),
        });
        let along = along.collect();
        (steps, along)
    }
}

/// The loss on a core of this energy.
fn loss_at(core: &CoreTensor, energy: f64, terms: &[ViewTerms], c: &[Vec<f64>]) -> f64 {
    let views = terms.iter().zip(c).zip(&core.weights);
    energy + views.map(|((t, c), w)| w * w * t.loss(c)).sum::<f64>()
}

/// What the loss needs of a `U`, given all `S_k U`. It is quadratic in `U`, so a step along a
/// direction needs no products with the slabs but those of the direction.
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
