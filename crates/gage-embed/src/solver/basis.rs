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
//! accumulated into one block, whatever the number of views. Small problems skip the iteration: with `V = I`,
//! `S_k = X_k`, one pass and one eigendecomposition are exact.

use faer::Mat;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::linalg::random::fill_signs;
use crate::linalg::small::symmetric_eigen;
use crate::linalg::{Real, Tall, gram, orthonormalise, times_small};
use crate::views::{CentredGram, Views};

use super::core_tensor::CoreTensor;
use super::observe::{Context, Stage, StopReason};
use super::state::{Draft, Point};

/// How the basis is found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BasisParams {
    /// Width of the basis over the dimension: more columns converge in fewer passes but cost more each.
    pub oversampling: f64,
    /// At most this many iterations of two passes each.
    pub max_iterations: usize,
    /// Stop when an iteration lowers the loss by less than this share of it.
    pub tolerance: f64,
    /// Up to this many nodes the basis is computed directly.
    pub direct_nodes: usize,
}

impl Default for BasisParams {
    fn default() -> Self {
        BasisParams { oversampling: 1.5, max_iterations: 5, tolerance: 1e-3, direct_nodes: 1024 }
    }
}

impl BasisParams {
    /// Columns of the basis for a model of `dimension` columns over `nodes` nodes.
    pub(crate) fn width(&self, dimension: usize, nodes: usize) -> usize {
        let wide = (dimension as f64 * self.oversampling).ceil() as usize;
        wide.max(dimension + 8).min(nodes)
    }
}

/// What finding the basis took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BasisInfo {
    /// Columns of the basis.
    pub width: usize,
    /// Iterations done.
    pub iterations: usize,
    /// Passes over each view.
    pub passes: usize,
    /// Share of the energy `sum_k w_k^2 ||X_k||^2` captured by the best model-sized subspace, after every iteration.
    pub captured_energy: Vec<f64>,
    /// Why the iteration stopped.
    pub stop: StopReason,
}

/// The views seen through a basis.
pub(crate) struct Compressed<T> {
    /// `V`, one row per local node.
    pub(crate) vectors: Tall<T>,
    /// `B_k = Y_k^T J V`.
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

/// Where the iteration stands when one begins: everything small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BasisPoint {
    iterations: usize,
    captured_energy: Vec<f64>,
    /// Columns the model will have, as far as is known.
    columns: usize,
    /// Share of the energy that this many columns captured last.
    captured: f64,
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
    let (mut v, mut point) = match earlier {
        Some(earlier) => {
            ops.iter().zip(&earlier.passes).for_each(|(op, &passes)| op.count_from(passes));
            (earlier.vectors, earlier.point)
        }
        None => {
            let v = orthonormalise(start::<T>(task, width, ctx), ctx.reducer);
            let captured_energy = Vec::new();
            (v, BasisPoint { iterations: 0, captured_energy, columns: dimension, captured: 0.0 })
        }
    };
    loop {
        let passes: Vec<usize> = ops.iter().map(CentredGram::passes).collect();
        let draft = || Draft {
            passes: passes.clone(),
            point: Point::Basis(point.clone()),
            tall: vec![("vectors".to_owned(), T::borrowed(&v))],
            small: Vec::new(),
        };
        ctx.boundary(draft);
        let before = (point.iterations > 0).then_some((1.0 - point.captured).max(0.0));
        ctx.tick_or_keep(Stage::Basis, 1 + 2 * point.iterations, before, draft)?;
        let mut projections = Vec::with_capacity(ops.len());
        for op in ops {
            projections.push(op.project(&v, ctx.reducer));
        }
        let core = core_of(&projections, weights);
        let captured_by = |columns: usize| {
            core.compressed(core.dominant_subspace(columns).as_ref()).energy() / total
        };
        let captured = captured_by(point.columns);
        let left = (1.0 - captured).max(0.0);
        ctx.tick_or_keep(Stage::Basis, 2 + 2 * point.iterations, Some(left), draft)?;
        let gain = captured - point.captured;
        let settled = point.iterations > 0 && gain < params.tolerance * left;
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
                width: v.cols(),
                iterations,
                passes: 2 + 2 * iterations,
                captured_energy: point.captured_energy,
                stop,
            };
            return Ok((Compressed { vectors: v, projections, core }, info));
        }
        // What a basis captures only grows, so columns that are enough now will be enough in the end.
        if let Some(enough) = task.share.and_then(|share| core.enough(share * total))
            && enough < point.columns
        {
            point.columns = enough;
            point.captured = captured_by(enough);
        }
        // The next block needs the projections only in transformed form: no two copies of anything tall.
        let transforms = next_transforms(&core, params.width(point.columns, nodes));
        drop(v);
        let mut next = Tall::zeros(local, transforms.first().map_or(0, Mat::ncols));
        for (k, (op, transform)) in ops.iter().zip(&transforms).enumerate() {
            let moved = times_small(&projections[k], transform.as_ref());
            projections[k] = Tall::zeros(0, 0);
            op.expand_into(weights[k] * weights[k], &moved, &mut next, ctx.reducer);
        }
        drop(projections);
        v = orthonormalise(next, ctx.reducer);
        point.iterations += 1;
    }
}

fn core_of<T: Real>(projections: &[Tall<T>], weights: &[f64]) -> CoreTensor {
    // Projections are complete on every worker, so their Gram matrices need no exchange.
    let local = &crate::linalg::LocalReducer;
    CoreTensor {
        slabs: projections.iter().map(|b| gram(b, local)).collect(),
        weights: weights.to_vec(),
    }
}

/// `M_k = S_k Z diag(1 / theta)` for at most `width` directions, leaving out those without energy.
fn next_transforms(core: &CoreTensor, width: usize) -> Vec<Mat<f64>> {
    let (theta, z) = symmetric_eigen(core.importance().as_ref());
    let top = theta.first().copied().unwrap_or(0.0);
    let rank = theta.iter().take_while(|&&t| t > 1e-24 * top && t > 0.0).count();
    let rank = rank.min(width).max(1);
    let scaled = Mat::from_fn(z.nrows(), rank, |i, f| z[(i, f)] / theta[f].max(f64::MIN_POSITIVE));
    core.slabs.iter().map(|slab| slab * &scaled).collect()
}

/// A random start that sees every view: `sum_k sqrt(w_k) J Y_k Omega_k`, one pass. The random numbers belong to node
/// ids and columns, so reordering named nodes reorders the result and nothing else.
fn start<T: Real>(task: &BasisTask<'_>, width: usize, ctx: &Context<'_>) -> Tall<T> {
    let BasisTask { views, ops, weights, seed, .. } = *task;
    let local = ctx.reducer.local_rows(views.nodes()).len();
    let mut out = Tall::zeros(local, width);
    for (k, (op, view)) in ops.iter().zip(views.views()).enumerate() {
        let salt = seed.wrapping_add(0x9e37 * (k as u64 + 1));
        let keys = views.node_keys();
        let omega = Tall::<T>::from_rows(op.cols(), width, |row, out| {
            let key = if view.columns_are_nodes { keys[row] } else { row as u64 };
            fill_signs(salt, key, out);
        });
        op.expand_into(weights[k].sqrt(), &omega, &mut out, ctx.reducer);
    }
    out
}

/// The exact basis of a small problem: with `V = I` the core tensor is the tensor itself.
fn direct<T: Real>(
    task: &BasisTask<'_>,
    width: usize,
    ctx: &Context<'_>,
) -> Result<(Compressed<T>, BasisInfo), Error> {
    let BasisTask { ops, weights, total, dimension, .. } = *task;
    let nodes = ops.first().map_or(0, CentredGram::local_rows);
    let identity = Tall::<f64>::from_rows(nodes, nodes, |row, out| out[row] = 1.0);
    let mut projections = Vec::with_capacity(ops.len());
    for op in ops {
        projections.push(op.project(&identity, ctx.reducer));
        ctx.tick(Stage::Basis, 1, None)?;
    }
    let whole = core_of(&projections, weights);
    let w = whole.leading_subspace(width);
    let core = whole.compressed(w.as_ref());
    let vectors = Tall::from_rows(nodes, w.ncols(), |row, out| {
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
    Ok((Compressed { vectors, projections, core }, info))
}
