//! The exact basis of a small problem, by one eigendecomposition.

use faer::Mat;

use crate::error::Error;
use crate::progress::{Stage, StopReason};
use crate::solver::context::Context;
use crate::solver::info::BasisInfo;
use gage_linalg::kernel::{gram, times_small};
use gage_linalg::{Real, Tall};

use super::task::{Basis, BasisTask, core_of};

/// With `V = I` the core tensor is the tensor itself.
pub(super) fn direct<T: Real>(
    task: &BasisTask<'_>,
    width: usize,
    ctx: &Context<'_>,
) -> Result<(Basis<T>, BasisInfo), Error> {
    let BasisTask { ops, weights, total, dimension, .. } = *task;
    let (own, nodes) = (task.views.rows().own(), task.views.nodes());
    let identity = Tall::<f64>::from_rows_in(ctx.workspace, own.len(), nodes, |row, out| {
        out[own.start + row] = 1.0;
    });
    let mut projections = Vec::with_capacity(ops.len());
    for op in ops {
        projections.push(op.project(&identity, ctx.reducer));
        ctx.report(Stage::Basis, 1, None)?;
    }
    let grams: Vec<_> = projections.iter().map(|b| gram(b, ctx.reducer)).collect();
    let whole = core_of(&grams, None, weights, ctx.workspace);
    let w = whole.directions().1.subcols(0, width.min(nodes)).to_owned();
    let core = whole.compressed(w.as_ref());
    let block = Tall::from_rows_in(ctx.workspace, own.len(), w.ncols(), |row, out| {
        let values = out.iter_mut().enumerate();
        values.for_each(|(f, out)| *out = T::from_f64(w[(own.start + row, f)]));
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
    Ok((Basis { block, transform, projections, core }, info))
}
