//! A common basis for all views, in as few passes over the data as possible.
//!
//! Wanted: orthonormal `V` (`p` columns, somewhat more than the dimension) that captures most of the tensor, i.e. makes
//! `sum_k w_k^2 ||V^T X_k V||^2` large. A stationary `V` spans an invariant subspace of `sum_k w_k^2 X_k V V^T X_k`, so
//!
//! ```text
//! B_k = Y_k^T J V          (one pass)       S_k = B_k^T B_k = V^T X_k V
//! V <- orth( sum_k w_k^2 J Y_k (B_k M_k) )   (one pass),   M_k = S_k Z diag(1 / theta)
//! ```
//!
//! with `Z diag(theta) Z^T = sum_k w_k^2 S_k^2` is one iteration of two passes (the paper's orthogonal iteration on
//! `sum_k X_k^2` takes four, and sixty of them). `Z` and `theta` only keep the columns well conditioned. Everything is
//! accumulated into one block, whatever the number of views.
//!
//! A multiple `s V` is subtracted from the sum before `orth`. What does not belong into the basis has values between 0 and
//! about the smallest `theta`; a shift by some half of that makes them smaller than it makes those that do belong, so that
//! `lambda / mu` becomes about `(2 lambda / mu - 1)`. The smallest `theta` is known from below only, so `s` is 0.7 of it: that
//! gained most on Wikipedia, BlogCatalog, Debian and WordNet (of 0, 0.5, 0.7 and 0.9), nearly one iteration of five. The first
//! iteration goes without: it would gain by a shift, but the ones after it more than make up for that. The last blocks have fewer
//! columns (`BasisParams::width_before`), those of the largest `theta`.
//!
//! `orth` is never carried out on anything tall: the block `N` is kept as it came, `V = N T` with a small `T` from its
//! Gram matrix, and `T` is multiplied into whatever small matrix comes next. That leaves, for each iteration, one Gram
//! matrix of `N` and, for each view, one Gram matrix and one update of `Y_k^T J N`. Small problems skip the iteration: with `V = I`,
//! `S_k = X_k`, one pass and one eigendecomposition are exact.

use faer::Mat;
use rayon::prelude::*;

use crate::error::Error;
use crate::params::BasisParams;
use crate::progress::{Stage, StopReason};
use crate::views::{CentredGram, Part, View, Views, expand_all, project_all};
use gage_linalg::kernel::{
    SparseSignSketch, cross_gram_working_precision, gram, gram_working_precision,
    independent_orthonormaliser, orthonormaliser, times_small, times_small_in_place,
};
use gage_linalg::{AnyTallRef, LocalReducer, Real, Reducer, Tall, Workspace};

use super::convergence::Forecast;
use crate::solver::checkpoint::{BasisPoint, Draft, Point};
use crate::solver::context::Context;
use crate::solver::core_tensor::{CoreTensor, symmetric};
use crate::solver::info::BasisInfo;

/// The shift over the smallest value of the basis, from the second iteration on.
const SHIFT: f64 = 0.7;

/// The views seen through a basis `V = N T`.
pub(crate) struct Compressed<T> {
    /// `N`, one row per local node.
    pub(crate) block: Tall<T>,
    /// `T`.
    pub(crate) transform: Mat<f64>,
    /// `Y_k^T J N`, so that `B_k = Y_k^T J V` is this times `T`; `X_k N` of views that are formed.
    pub(crate) projections: Vec<Tall<T>>,
    pub(crate) core: CoreTensor,
}

/// What a basis is wanted for.
#[derive(Clone, Copy)]
pub(crate) struct BasisTask<'a> {
    pub(crate) views: &'a Views,
    pub(crate) ops: &'a [CentredGram<'a>],
    /// Loss weights of the views.
    pub(crate) weights: &'a [f64],
    /// `sum_k w_k^2 ||X_k||^2`.
    pub(crate) total: f64,
    /// Columns of the model, at most.
    pub(crate) dimension: usize,
    /// The share of the energy that is enough: as soon as fewer columns have it, only they are iterated on.
    pub(crate) share: Option<f64>,
    pub(crate) params: &'a BasisParams,
    pub(crate) seed: u64,
}

/// As [`BasisPoint`], with the basis.
pub(crate) struct BasisSoFar<T> {
    pub(crate) vectors: Tall<T>,
    pub(crate) point: BasisPoint,
    /// Passes over every view.
    pub(crate) passes: Vec<usize>,
}

/// Finds a basis, from the beginning or from where an earlier run stood.
pub(crate) fn basis<T: Real>(
    task: &BasisTask<'_>,
    earlier: Option<BasisSoFar<T>>,
    ctx: &Context<'_>,
) -> Result<(Compressed<T>, BasisInfo), Error> {
    let BasisTask { views, ops, weights, dimension, params, .. } = *task;
    let nodes = views.nodes();
    let width = params.width(dimension, nodes);
    let local = ctx.reducer.local_rows(nodes).len();
    if nodes <= params.direct_nodes && local == nodes {
        return direct(task, width.max(2 * dimension).min(nodes), ctx);
    }
    let total = task.total.max(f64::MIN_POSITIVE);
    let (mut block, mut point) = match earlier {
        Some(earlier) => {
            ops.iter().zip(&earlier.passes).for_each(|(op, &passes)| op.count_from(passes));
            (earlier.vectors, earlier.point)
        }
        None => {
            let block = start::<T>(task, width, ctx);
            let captured_energy = Vec::new();
            (
                block,
                BasisPoint { iterations: 0, captured_energy, columns: dimension, captured: 0.0 },
            )
        }
    };
    loop {
        let passes: Vec<usize> = ops.iter().map(CentredGram::passes).collect();
        let draft = || Draft {
            passes: passes.clone(),
            point: Point::Basis(point.clone()),
            tall: vec![("vectors".to_owned(), AnyTallRef::from(&block))],
            small: Vec::new(),
        };
        ctx.boundary(draft);
        let before = (point.iterations > 0).then_some((1.0 - point.captured).max(0.0));
        ctx.tick_or_keep(Stage::Basis, 1 + 2 * point.iterations, before, draft)?;
        let transform = orthonormal(&block, ctx.reducer);
        let mut projections = project_all(ops, &block, ctx.reducer);
        let grams = grams_of(ops, &block, &projections);
        let core = core_of(&grams, Some(&transform), weights, ctx.workspace);
        let (theta, directions) = core.directions();
        let captured = core.energy_within(directions, point.columns) / total;
        let left = (1.0 - captured).max(0.0);
        ctx.tick_or_keep(Stage::Basis, 2 + 2 * point.iterations, Some(left), draft)?;
        let forecast = Forecast::new(&point.captured_energy, point.captured, captured);
        let enough = params.tolerance * left;
        let settled = forecast.to_gain < enough;
        point.captured_energy.push(captured);
        point.captured = captured;
        let BasisPoint { iterations, .. } = point;
        if settled || left <= 1e-15 || iterations >= params.max_iterations {
            let stop = if iterations >= params.max_iterations && !settled && left > 1e-15 {
                StopReason::IterationLimit
            } else {
                StopReason::Converged
            };
            let info = BasisInfo {
                width: transform.ncols(),
                iterations,
                passes: 2 + 2 * iterations,
                captured_energy: point.captured_energy,
                stop,
            };
            return Ok((Compressed { block, transform, projections, core }, info));
        }
        // What a basis captures only grows, so columns that are enough now will be enough in the end.
        if let Some(enough) = task.share.and_then(|share| core.enough(directions, share * total))
            && enough < point.columns
        {
            point.columns = enough;
            point.captured = core.energy_within(directions, enough) / total;
        }
        // The next block needs everything of this one in transformed form only: no two copies of anything tall.
        let planned = forecast.iterations(enough).min(params.max_iterations - iterations);
        let to_come = planned.saturating_sub(1);
        let rank = params.width_before(to_come, ops.len(), point.columns, nodes);
        // The smallest value of a random start says nothing.
        let shift = if iterations == 0 { 0.0 } else { SHIFT };
        let next = Next::new(&core, (theta, directions), rank, shift);
        let factors: Vec<f64> = weights.iter().map(|w| w * w).collect();
        block = match &next.of_block {
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
        block = expand_all(ops, &factors, block, moved, ctx.reducer);
        drop(projections);
        point.iterations += 1;
    }
}

/// A small `T` such that `N T` is orthonormal. A block that iterations have made is well conditioned, so that a rough Gram
/// matrix will do: `T` is then off by about `1e-6`, which moves the optimum on the core by the square of that. Lengths of the
/// factors are measured in the end; their energies come from the core, so a reported loss is good to some `1e-7` of the norm.
fn orthonormal<T: Real>(block: &Tall<T>, reducer: &dyn Reducer) -> Mat<f64> {
    independent_orthonormaliser(&gram_working_precision(block, reducer))
        .unwrap_or_else(|| orthonormaliser(&gram(block, reducer), dependence_cutoff::<T>(block)))
}

/// `N^T X_k N`: Gram matrices of the projections, or products of what formed views have made of the block with the block.
fn grams_of<T: Real>(
    ops: &[CentredGram<'_>],
    block: &Tall<T>,
    projections: &[Tall<T>],
) -> Vec<Mat<f64>> {
    // Projections are complete on every worker, so their Gram matrices need no exchange.
    let local = &LocalReducer;
    let seen = ops.iter().zip(projections);
    seen.map(|(op, b)| match op.explicit_as::<T>() {
        Some(_) => symmetric(&cross_gram_working_precision(block, b, local)),
        None => gram_working_precision(b, local),
    })
    .collect()
}

fn core_of(
    grams: &[Mat<f64>],
    transform: Option<&Mat<f64>>,
    weights: &[f64],
    workspace: &Workspace,
) -> CoreTensor {
    let slab = |gram: &Mat<f64>| {
        transform.map_or_else(|| gram.clone(), |t| symmetric(&(t.transpose() * gram * t)))
    };
    let sides = transform.map_or((0, 0), |t| (t.nrows(), t.ncols()));
    let flops = 2 * grams.len() * sides.0 * sides.1 * (sides.0 + sides.1);
    let slabs = || grams.par_iter().map(slab).collect();
    CoreTensor::new(workspace.count_small(flops, slabs), weights.to_vec(), workspace)
}

/// Squared lengths, relative to the longest, below which a direction of a block depends on the others: what rounding has
/// left in it, divided by its length, would count as captured energy.
fn dependence_cutoff<T: Real>(block: &Tall<T>) -> f64 {
    (1e3 * T::EPSILON).powi(2).max(1e-14 * block.cols() as f64)
}

/// What the next block is made of: `V` times one small matrix and, of every view, `B_k` times another.
struct Next {
    /// Columns of the next block.
    rank: usize,
    /// `-s Z diag(1 / theta)`, unless `s` is zero.
    of_block: Option<Mat<f64>>,
    /// `M_k = S_k Z diag(1 / theta)`.
    of_views: Vec<Mat<f64>>,
}

impl Next {
    /// For at most `width` directions, leaving out those without energy, with a shift by so many times the least of them.
    fn new(core: &CoreTensor, (theta, z): (&[f64], &Mat<f64>), width: usize, shift: f64) -> Next {
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

/// A random start that sees every view: `sum_k sqrt(w_k) J Y_k Omega_k`, one pass. The random numbers belong to node
/// ids and columns, so reordering named nodes reorders the result and nothing else.
fn start<T: Real>(task: &BasisTask<'_>, width: usize, ctx: &Context<'_>) -> Tall<T> {
    let BasisTask { views, ops, weights, seed, .. } = *task;
    let omega = |k: usize| {
        let (op, view): (&CentredGram<'_>, &View) = (&ops[k], &views.views()[k]);
        let salt = seed.wrapping_add(0x9e37 * (k as u64 + 1));
        let keys = views.node_keys();
        let key = |row: usize| if view.columns_are_nodes { keys[row] } else { row as u64 };
        Part::Sketch(SparseSignSketch::new(op.cols(), width, salt, key))
    };
    let factors: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
    let rows = ops.first().map_or(0, CentredGram::local_rows);
    let zeros = Tall::zeros_in(ctx.workspace, rows, width);
    expand_all(ops, &factors, zeros, omega, ctx.reducer)
}

/// The exact basis of a small problem: with `V = I` the core tensor is the tensor itself.
fn direct<T: Real>(
    task: &BasisTask<'_>,
    width: usize,
    ctx: &Context<'_>,
) -> Result<(Compressed<T>, BasisInfo), Error> {
    let BasisTask { ops, weights, total, dimension, .. } = *task;
    let nodes = ops.first().map_or(0, CentredGram::local_rows);
    let unit = |row: usize, out: &mut [f64]| out[row] = 1.0;
    let identity = Tall::from_rows_in(ctx.workspace, nodes, nodes, unit);
    let mut projections = Vec::with_capacity(ops.len());
    for op in ops {
        projections.push(op.project(&identity, ctx.reducer));
        ctx.tick(Stage::Basis, 1, None)?;
    }
    let grams: Vec<_> = projections.iter().map(|b| gram(b, &LocalReducer)).collect();
    let whole = core_of(&grams, None, weights, ctx.workspace);
    let w = whole.directions().1.subcols(0, width.min(nodes)).to_owned();
    let core = whole.compressed(w.as_ref());
    let block = Tall::from_rows_in(ctx.workspace, nodes, w.ncols(), |row, out| {
        out.iter_mut().enumerate().for_each(|(f, out)| *out = T::from_f64(w[(row, f)]));
    });
    let projections = projections.iter().map(|b| times_small(b, w.as_ref()).converted()).collect();
    let best = core.dominant_subspace(dimension);
    let captured = core.compressed(best.as_ref()).energy() / total.max(f64::MIN_POSITIVE);
    let info = BasisInfo {
        width: w.ncols(),
        iterations: 0,
        passes: 1,
        captured_energy: vec![captured],
        stop: StopReason::Direct,
    };
    let transform = Mat::identity(w.ncols(), w.ncols());
    Ok((Compressed { block, transform, projections, core }, info))
}
