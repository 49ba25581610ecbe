//! The iteration that finds a basis.

use faer::Mat;

use crate::error::Error;
use crate::progress::{Stage, StopReason};
use crate::solver::checkpoint::{BasisCheckpoint, CheckpointParts, Iteration, StageCheckpoint};
use crate::solver::context::Context;
use crate::solver::core_tensor::{CoreTensor, symmetric};
use crate::solver::info::BasisInfo;
use crate::views::{CentredGram, Part, View, expand_all, project_all};
use gage_linalg::kernel::{
    SparseSignSketch, cross_gram_working_precision, gram, gram_working_precision,
    independent_orthonormaliser, orthonormaliser, times_small_in_place,
};
use gage_linalg::{AnyTallRef, Real, Reducer, Tall};

use super::convergence::Convergence;
use super::task::{Basis, BasisTask, core_of};

/// The shift over the smallest value of the basis, from the second iteration on.
const SHIFT: f64 = 0.7;

/// State of the iteration.
pub(crate) struct BasisState<T> {
    /// `N`.
    pub(crate) block: Tall<T>,
    pub(crate) checkpoint: BasisCheckpoint,
    /// Passes over every view.
    pub(crate) passes: Vec<usize>,
}

/// The state of the iteration.
pub(super) struct BasisIteration<'a, T> {
    task: BasisTask<'a>,
    /// `sum_k w_k^2 ||X_k||^2`, above zero.
    total: f64,
    block: Tall<T>,
    at: BasisCheckpoint,
}

/// A block seen by the views.
pub(super) struct Seen<T> {
    transform: Mat<f64>,
    projections: Vec<Tall<T>>,
    core: CoreTensor,
    stop: StopReason,
}

impl<'a, T: Real> BasisIteration<'a, T> {
    /// From a random block.
    pub(super) fn begin(task: &BasisTask<'a>, ctx: &Context<'_>) -> BasisIteration<'a, T> {
        let at = BasisCheckpoint {
            iterations: 0,
            captured_energy: Vec::new(),
            columns: task.dimension,
            captured: 0.0,
        };
        BasisIteration::new(task, random_block(task, task.width(), ctx), at)
    }

    /// From the state of an earlier run.
    pub(super) fn resume(task: &BasisTask<'a>, state: BasisState<T>) -> BasisIteration<'a, T> {
        let ops = task.ops.iter().zip(&state.passes);
        ops.for_each(|(op, &passes)| op.count_from(passes));
        BasisIteration::new(task, state.block, state.checkpoint)
    }

    fn new(task: &BasisTask<'a>, block: Tall<T>, at: BasisCheckpoint) -> BasisIteration<'a, T> {
        BasisIteration { task: *task, total: task.total.max(f64::MIN_POSITIVE), block, at }
    }

    pub(super) fn finish(self, end: Seen<T>) -> (Basis<T>, BasisInfo) {
        let Seen { transform, projections, core, stop } = end;
        let info = BasisInfo {
            width: transform.ncols(),
            iterations: self.at.iterations,
            passes: 2 + 2 * self.at.iterations,
            captured_energy: self.at.captured_energy,
            stop,
        };
        (Basis { block: self.block, transform, projections, core }, info)
    }

    /// Replaces the block by the next one, with an iteration that is followed by `to_come` others.
    /// It needs everything of the old block in transformed form only: no two copies of anything
    /// tall.
    fn replace_block(&mut self, seen: Seen<T>, to_come: usize, reducer: &dyn Reducer) {
        let BasisTask { ops, weights, params, views, .. } = self.task;
        let Seen { transform, mut projections, core, .. } = seen;
        let rank = params.width_before(to_come, ops.len(), self.at.columns, views.nodes());
        // The smallest value of a random start carries no information.
        let shift = if self.at.iterations == 0 { 0.0 } else { SHIFT };
        let next = Next::new(&core, rank, shift);
        let factors: Vec<f64> = weights.iter().map(|w| w * w).collect();
        let block = std::mem::replace(&mut self.block, Tall::zeros(0, 0));
        let block = match &next.of_block {
            Some(small) => times_small_in_place(block, (&transform * small).as_ref()),
            None => block.cleared(next.rank),
        };
        let moved = |k: usize| {
            let projection = std::mem::replace(&mut projections[k], Tall::zeros(0, 0));
            let moved = times_small_in_place(projection, (&transform * &next.of_views[k]).as_ref());
            match ops[k].explicit_as::<T>() {
                Some(_) => Part::Product(moved),
                None => Part::Expanded(moved),
            }
        };
        self.block = expand_all(ops, &factors, block, moved, reducer);
        self.at.iterations += 1;
    }
}

impl<T: Real> Iteration for BasisIteration<'_, T> {
    type Outcome = Seen<T>;

    fn passes(&self) -> Vec<usize> {
        self.task.ops.iter().map(CentredGram::passes).collect()
    }

    fn checkpoint(&self, passes: Vec<usize>) -> CheckpointParts<'_> {
        CheckpointParts {
            passes,
            stage: StageCheckpoint::Basis(self.at.clone()),
            tall: vec![("block".to_owned(), AnyTallRef::from(&self.block))],
            small: Vec::new(),
        }
    }

    fn advance(&mut self, ctx: &Context<'_>) -> Result<Option<Seen<T>>, Error> {
        let BasisTask { ops, weights, params, share, .. } = self.task;
        let iterations = self.at.iterations;
        let before = (iterations > 0).then_some((1.0 - self.at.captured).max(0.0));
        ctx.report(Stage::Basis, 1 + 2 * iterations, before)?;
        let transform = orthonormal(&self.block, ctx.reducer);
        let projections = project_all(ops, &self.block, ctx.reducer);
        let grams = grams_of(ops, &self.block, &projections, ctx.reducer);
        let core = core_of(&grams, Some(&transform), weights, ctx.workspace);
        let (_, directions) = core.directions();
        let captured = core.energy_within(directions, self.at.columns) / self.total;
        let left = (1.0 - captured).max(0.0);
        ctx.report(Stage::Basis, 2 + 2 * iterations, Some(left))?;
        let convergence =
            Convergence::estimate(&self.at.captured_energy, self.at.captured, captured);
        let enough = params.tolerance * left;
        let converged = convergence.remaining_gain < enough || left <= 1e-15;
        self.at.captured_energy.push(captured);
        self.at.captured = captured;
        if converged || iterations >= params.max_iterations {
            let stop = if converged { StopReason::Converged } else { StopReason::IterationLimit };
            return Ok(Some(Seen { transform, projections, core, stop }));
        }
        // What a basis captures only grows, so columns that are enough now will be enough in the
        // end.
        if let Some(fewer) = share.and_then(|share| core.enough(directions, share * self.total))
            && fewer < self.at.columns
        {
            self.at.columns = fewer;
            self.at.captured = core.energy_within(directions, fewer) / self.total;
        }
        let planned = convergence.iterations(enough).min(params.max_iterations - iterations);
        let stop = StopReason::IterationLimit;
        let seen = Seen { transform, projections, core, stop };
        self.replace_block(seen, planned.saturating_sub(1), ctx.reducer);
        Ok(None)
    }
}

/// A small `T` such that `N T` is orthonormal. A block that iterations have made is well
/// conditioned, so that a rough Gram matrix will do: `T` is then off by about `1e-6`, which moves
/// the optimum on the core by the square of that. Lengths of the factors are measured in the end;
/// their energies come from the core, so a reported loss is good to some `1e-7` of the norm.
fn orthonormal<T: Real>(block: &Tall<T>, reducer: &dyn Reducer) -> Mat<f64> {
    independent_orthonormaliser(&gram_working_precision(block, reducer))
        .unwrap_or_else(|| orthonormaliser(&gram(block, reducer), dependence_cutoff::<T>(block)))
}

/// Squared lengths, relative to the longest, below which a direction of a block depends on the
/// others: what rounding has left in it, divided by its length, would count as captured energy.
fn dependence_cutoff<T: Real>(block: &Tall<T>) -> f64 {
    (1e3 * T::EPSILON).powi(2).max(1e-14 * block.cols() as f64)
}

/// `N^T X_k N`: Gram matrices of the projections, or products of what formed views have made of the
/// block with the block.
fn grams_of<T: Real>(
    ops: &[CentredGram<'_>],
    block: &Tall<T>,
    projections: &[Tall<T>],
    reducer: &dyn Reducer,
) -> Vec<Mat<f64>> {
    let seen = ops.iter().zip(projections);
    seen.map(|(op, b)| match op.explicit_as::<T>() {
        Some(_) => symmetric(&cross_gram_working_precision(block, b, reducer)),
        None => gram_working_precision(b, reducer),
    })
    .collect()
}

/// What the next block is made of: `V` times one small matrix and, of every view, `B_k` times
/// another.
struct Next {
    /// Columns of the next block.
    rank: usize,
    /// `-s Z diag(1 / theta)`, unless `s` is zero.
    of_block: Option<Mat<f64>>,
    /// `M_k = S_k Z diag(1 / theta)`.
    of_views: Vec<Mat<f64>>,
}

impl Next {
    /// For at most `width` directions, leaving out those without energy, with a shift by so many
    /// times the least of them.
    fn new(core: &CoreTensor, width: usize, shift: f64) -> Next {
        let (theta, z) = core.directions();
        let top = theta.first().copied().unwrap_or(0.0);
        let rank = theta.iter().take_while(|&&t| t > 1e-24 * top && t > 0.0).count();
        let rank = rank.min(width).max(1);
        let scaled =
            Mat::from_fn(z.nrows(), rank, |i, f| z[(i, f)] / theta[f].max(f64::MIN_POSITIVE));
        let shift = shift * theta.get(rank - 1).copied().unwrap_or(0.0);
        let of_views = core.times(&scaled);
        Next { rank, of_views, of_block: (shift > 0.0).then(|| faer::Scale(-shift) * scaled) }
    }
}

/// A random block that sees every view: `sum_k sqrt(w_k) J Y_k Omega_k`, one pass. The random
/// numbers belong to node ids and columns, so reordering named nodes reorders the result and
/// nothing else.
fn random_block<T: Real>(task: &BasisTask<'_>, width: usize, ctx: &Context<'_>) -> Tall<T> {
    let BasisTask { views, ops, weights, seed, .. } = *task;
    let omega = |k: usize| {
        let (op, view): (&CentredGram<'_>, &View) = (&ops[k], &views.views()[k]);
        let salt = seed.wrapping_add(0x9e37 * (k as u64 + 1));
        let (keys, first) = (views.node_keys(), op.columns().own().start);
        let key =
            |row: usize| if view.columns_are_nodes { keys[row] } else { (first + row) as u64 };
        Part::Sketch(SparseSignSketch::new(op.cols(), width, salt, key))
    };
    let factors: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
    let rows = ops.first().map_or(0, CentredGram::local_rows);
    let zeros = Tall::zeros_in(ctx.workspace, rows, width);
    expand_all(ops, &factors, zeros, omega, ctx.reducer)
}
