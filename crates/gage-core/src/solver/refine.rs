//! Alternating least squares at full size: the paper's Algorithm 2, kept symmetric.
//!
//! The same iteration as on the core (see [`als`](super::als)), now over all rows of `U`, with
//! every view centred over its own nodes: the model of view `k` is `(J_k U) C_k (J_k U)^T`, so the
//! gradient of row `i` is
//!
//! ```text
//! sum_{k: i in O_k} w_k^2 [ (u_i - m_k) C_k G_k C_k - (X_k U C_k)_i ],
//!     G_k = U^T J_k U,   m_k = mean of U over O_k
//! ```
//!
//! and the direction solves it with the matrix of the node's pattern. A sweep costs two passes over
//! each view: `Y_k (B_k C_k)` for the gradient and `Y_k^T J D` for the line search;
//! `B_k = Y_k^T J U` is carried along.

use faer::Mat;

use crate::cost::{Cost, ProblemSize};
use crate::error::Error;
use crate::params::RefineParams;
use crate::progress::{Stage, StopReason};
use gage_linalg::kernel::add_scaled;
use gage_linalg::{AnyTallRef, Real, Reducer, Tall};

use super::als::{best_coefficients, conjugation};
use super::checkpoint::{
    CheckpointParts, Checkpointer, Iteration, RefineCheckpoint, StageCheckpoint,
};
use super::context::Context;
use super::factors::FullFactors;
use super::gradient::negative_gradient;
use super::info::{InitialInfo, RefineInfo};
use super::line_search::{DirectionTerms, GramAlong, ViewTerms, advanced, quartic, view_normal};
use super::problem::Problem;
use super::quality::{quality, row_prior};
use super::quartic::minimise;
use super::rows::{RowPatterns, RowSystem};
use super::view_terms::{centred_cross, column_dots, energies_of, shared_if_complete, view_terms};

/// What a refinement needs besides the factors.
#[derive(Clone, Copy)]
pub(crate) struct RefineTask<'a> {
    pub(crate) params: &'a RefineParams,
    /// Strength of the prior that holds rows of nodes that lack a view.
    pub(crate) missing_ridge: f64,
    /// How the factors were found.
    pub(crate) initial: &'a InitialInfo,
}

impl<'a> RefineTask<'a> {
    pub(crate) fn new(
        params: &'a RefineParams,
        missing_ridge: f64,
        initial: &'a InitialInfo,
    ) -> RefineTask<'a> {
        RefineTask { params, missing_ridge, initial }
    }
}

/// State of a refinement, besides the factors.
pub(crate) struct RefineState<T> {
    pub(crate) checkpoint: RefineCheckpoint,
    pub(crate) terms: Vec<ViewTerms>,
    /// Last gradient, last direction, and the product of gradient and step.
    pub(crate) previous: Option<(Tall<T>, Tall<T>, f64)>,
}

/// Bytes, passes and multiply-adds of all sweeps.
pub(crate) fn refine_cost(size: &ProblemSize, params: &RefineParams) -> Cost {
    let (columns, sweeps) = (size.columns, params.max_sweeps);
    let block = size.block(size.nodes, columns);
    let square = sweeps as f64 * (size.nodes * columns * columns) as f64;
    Cost {
        // Rows, gradient, step and two of the sweep before; projections, those of the direction,
        // and what is made of them.
        bytes: 5 * block
            + 3 * size.projections(columns)
            + if size.scratch_blocks > 0 { block } else { 0 },
        passes: 2 * sweeps,
        pass_columns: 2 * sweeps * columns,
        // Two cross products for every view, each as wide as two Gram matrices, and a solve.
        gram_flops: 2.0 * size.view_columns.len() as f64 * square,
        update_flops: 2.0 * square,
        ..Cost::default()
    }
}

/// Lowers the loss at full size, from initial factors or from the state of an earlier run.
pub(crate) fn refine<T: Real>(
    problem: &Problem<'_>,
    factors: FullFactors<T>,
    task: &RefineTask<'_>,
    resumed: Option<RefineState<T>>,
    checkpointer: &Checkpointer<'_>,
    ctx: &Context<'_>,
) -> Result<(FullFactors<T>, RefineInfo), Error> {
    let mut refinement = Refinement::new(problem, factors, *task, resumed, ctx);
    let stop = checkpointer.iterate(&mut refinement, ctx)?;
    let Refinement { mut factors, state, .. } = refinement;
    factors.energies = energies_of(&factors.projections, ctx.reducer);
    let RefineCheckpoint { history, passes, .. } = state.checkpoint;
    let sweeps = history.len() - 1;
    Ok((factors, RefineInfo { sweeps, passes, loss_history: history, stop }))
}

/// The state of the iteration.
struct Refinement<'a, T> {
    problem: &'a Problem<'a>,
    task: RefineTask<'a>,
    total: f64,
    patterns: RowPatterns,
    /// Passes before the first sweep.
    passes_before: usize,
    factors: FullFactors<T>,
    state: RefineState<T>,
}

impl<'a, T: Real> Refinement<'a, T> {
    fn new(
        problem: &'a Problem<'a>,
        mut factors: FullFactors<T>,
        task: RefineTask<'a>,
        resumed: Option<RefineState<T>>,
        ctx: &Context<'_>,
    ) -> Refinement<'a, T> {
        let total = problem.total();
        let state = resumed.unwrap_or_else(|| {
            let measured = quality(problem, &factors, ctx);
            let terms = view_terms(&problem.ops, &factors.u, &factors.energies, ctx.reducer);
            factors.c = best_coefficients(&terms, &factors.c);
            let loss = loss_at(problem, &terms, &factors.c);
            let checkpoint = RefineCheckpoint {
                losses: measured.losses,
                spread: measured.spread,
                loss,
                history: vec![loss / total],
                passes: 0,
                new_by_new: None,
            };
            RefineState { checkpoint, terms, previous: None }
        });
        let patterns = RowPatterns::new(&problem.ops, factors.u.rows());
        let passes = task.initial.inner_passes + problem.passes();
        let passes_before = passes - state.checkpoint.passes;
        Refinement { problem, task, total, patterns, passes_before, factors, state }
    }

    /// Reports the relative loss after so many passes of the refinement.
    fn report(&self, passes: usize, ctx: &Context<'_>) -> Result<(), Error> {
        let passes = self.passes_before + passes;
        ctx.report(Stage::Refine, passes, Some(self.state.checkpoint.loss / self.total))
    }

    /// The step from the gradient, conjugated with the direction before; and the product of
    /// gradient and step.
    fn direction(&mut self, gradient: &Tall<T>, reducer: &dyn Reducer) -> (Tall<T>, f64) {
        let Refinement { problem, task, patterns, factors, state, .. } = self;
        let normals: Vec<Mat<f64>> = (0..problem.ops.len())
            .map(|k| view_normal(k, &state.terms, &factors.c, &problem.weights))
            .collect();
        let RefineCheckpoint { losses, spread, .. } = &state.checkpoint;
        let prior = row_prior(problem, losses, spread, task.missing_ridge);
        let mut direction = RowSystem::new(patterns, &normals, prior).solve(gradient);
        let new_by_new = dot_tall(gradient, &direction, reducer);
        if let Some((old_gradient, old_direction, old_by_old)) = state.previous.take() {
            let mixed = dot_tall(&old_gradient, &direction, reducer);
            let beta = conjugation(new_by_new, mixed, old_by_old);
            let slope = new_by_new + beta * dot_tall(&old_direction, gradient, reducer);
            // Not a descent direction any more: start afresh.
            if slope > 0.0 {
                add_scaled(&mut direction, beta, &old_direction);
            }
        }
        (direction, new_by_new)
    }

    /// The terms along a direction, and its projections; one pass.
    fn along(
        &self,
        direction: &Tall<T>,
        reducer: &dyn Reducer,
    ) -> (Vec<DirectionTerms>, Vec<Tall<T>>) {
        let (ops, factors) = (&self.problem.ops, &self.factors);
        let grams = shared_if_complete(ops, |k| {
            let mixed = centred_cross(&ops[k], &factors.u, direction, reducer);
            GramAlong::new(&mixed, centred_cross(&ops[k], direction, direction, reducer))
        });
        let views = ops.iter().zip(&factors.projections).zip(grams);
        views
            .map(|((op, before), gram)| {
                let projected = op.project(direction, reducer);
                let terms = DirectionTerms {
                    mixed_energy: column_dots(before, &projected, reducer),
                    energy: column_dots(&projected, &projected, reducer),
                    gram,
                };
                (terms, projected)
            })
            .unzip()
    }

    /// Moves along the direction as far as the loss falls most.
    fn step(
        &mut self,
        gradient: Tall<T>,
        direction: Tall<T>,
        new_by_new: f64,
        reducer: &dyn Reducer,
    ) -> Option<StopReason> {
        let (along, moved_projections) = self.along(&direction, reducer);
        let Refinement { problem, factors, state, .. } = self;
        state.checkpoint.passes += 2;
        let loss = state.checkpoint.loss;
        let (length, _) = minimise(&quartic(&state.terms, &along, &factors.c, &problem.weights));
        let moved_terms = advanced(&state.terms, &along, length);
        let moved_c = best_coefficients(&moved_terms, &factors.c);
        let moved_loss = loss_at(problem, &moved_terms, &moved_c);
        if length == 0.0 || moved_loss.is_nan() || moved_loss >= loss {
            return Some(StopReason::NoProgress);
        }
        add_scaled(&mut factors.u, length, &direction);
        for (projection, add) in factors.projections.iter_mut().zip(&moved_projections) {
            add_scaled(projection, length, add);
        }
        factors.c = moved_c;
        state.terms = moved_terms;
        state.checkpoint.loss = moved_loss;
        state.checkpoint.history.push(moved_loss / self.total);
        state.previous = Some((gradient, direction, new_by_new));
        let settled = loss - moved_loss < self.task.params.tolerance * moved_loss;
        settled.then_some(StopReason::Converged)
    }
}

impl<T: Real> Iteration for Refinement<'_, T> {
    type Outcome = StopReason;

    fn passes(&self) -> Vec<usize> {
        self.problem.passes_of_each()
    }

    fn checkpoint(&self, passes: Vec<usize>) -> CheckpointParts<'_> {
        let mut sweeps = self.state.checkpoint.clone();
        sweeps.new_by_new = self.state.previous.as_ref().map(|(_, _, product)| *product);
        let stage = StageCheckpoint::Refine { initial: self.task.initial.clone(), sweeps };
        let mut parts = CheckpointParts::of_factors(passes, stage, &self.factors);
        if let Some((gradient, direction, _)) = &self.state.previous {
            parts.tall.push(("gradient".to_owned(), AnyTallRef::from(gradient)));
            parts.tall.push(("direction".to_owned(), AnyTallRef::from(direction)));
        }
        for (k, terms) in self.state.terms.iter().enumerate() {
            let f = terms.energy.len();
            let gram = (0..f).flat_map(|i| (0..f).map(move |j| terms.gram[(i, j)])).collect();
            parts.small.push((format!("energy{k}"), terms.energy.clone()));
            parts.small.push((format!("gram{k}"), gram));
        }
        parts
    }

    fn advance(&mut self, ctx: &Context<'_>) -> Result<Option<StopReason>, Error> {
        let RefineCheckpoint { loss, passes, .. } = self.state.checkpoint;
        let sweeps = self.state.checkpoint.history.len() - 1;
        if sweeps > 0 {
            self.report(passes, ctx)?;
        }
        if sweeps >= self.task.params.max_sweeps {
            return Ok(Some(StopReason::IterationLimit));
        }
        if loss <= 1e-14 * self.total {
            return Ok(Some(StopReason::Converged));
        }
        let Refinement { problem, factors, state, patterns, .. } = self;
        let gradient = negative_gradient(problem, factors, &state.terms, patterns, ctx.reducer);
        self.report(passes + 1, ctx)?;
        let (direction, new_by_new) = self.direction(&gradient, ctx.reducer);
        Ok(self.step(gradient, direction, new_by_new, ctx.reducer))
    }
}

/// The loss at some terms: nothing of it touches the data.
fn loss_at(problem: &Problem<'_>, terms: &[ViewTerms], c: &[Vec<f64>]) -> f64 {
    let views = terms.iter().zip(c).zip(&problem.weights);
    problem.total() + views.map(|((t, c), w)| w * w * t.loss(c)).sum::<f64>()
}

fn dot_tall<T: Real>(a: &Tall<T>, b: &Tall<T>, reducer: &dyn Reducer) -> f64 {
    column_dots(a, b, reducer).into_iter().sum()
}
