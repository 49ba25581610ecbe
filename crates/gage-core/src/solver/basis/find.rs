//! Chooses between the direct basis and the iteration.

use crate::error::Error;
use crate::solver::checkpoint::Checkpointer;
use crate::solver::context::Context;
use crate::solver::info::BasisInfo;
use gage_linalg::Real;

use super::direct::direct;
use super::iteration::{BasisIteration, BasisState};
use super::task::{Basis, BasisTask};

/// Finds a basis: directly for few nodes, otherwise by an iteration from a random block or from
/// the state of an earlier run.
pub(crate) fn find_basis<T: Real>(
    task: &BasisTask<'_>,
    resumed: Option<BasisState<T>>,
    checkpointer: &Checkpointer<'_>,
    ctx: &Context<'_>,
) -> Result<(Basis<T>, BasisInfo), Error> {
    let nodes = task.views.nodes();
    if task.params.is_direct(nodes) {
        return direct(task, task.width().max(2 * task.dimension).min(nodes), ctx);
    }
    let mut iteration = match resumed {
        Some(state) => BasisIteration::resume(task, state),
        None => BasisIteration::begin(task, ctx),
    };
    let end = checkpointer.iterate(&mut iteration, ctx)?;
    Ok(iteration.finish(end))
}
