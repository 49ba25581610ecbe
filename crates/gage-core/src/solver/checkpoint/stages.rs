//! Runs a stage, or takes its result from a checkpoint.

use crate::error::Error;
use crate::params::CheckedParams;
use crate::solver::basis::BasisState;
use crate::solver::factors::FullFactors;
use crate::solver::info::{InitialInfo, RefineInfo};
use crate::solver::problem::Problem;
use crate::solver::refine::RefineState;
use gage_linalg::Real;

use super::checkpointer::Checkpointer;
use super::record::{CheckpointParts, StageCheckpoint};
use super::restore::{FitCheckpoint, Restored};

/// Factors, and how they were found.
type Initial<T> = (FullFactors<T>, InitialInfo);

/// Runs stages, or takes over what a checkpoint has of them.
pub(crate) struct Stages<'a, T> {
    problem: &'a Problem<'a>,
    checkpointer: Checkpointer<'a>,
    restored: Restored<T>,
}

impl<'a, T: Real> Stages<'a, T> {
    /// The stages of a fit that resumes from a checkpoint, if there is one.
    pub(crate) fn new(
        problem: &'a Problem<'a>,
        params: &CheckedParams,
        checkpointer: Checkpointer<'a>,
        checkpoint: Option<FitCheckpoint>,
    ) -> Result<Stages<'a, T>, Error> {
        let restored = match checkpoint {
            None => Restored::default(),
            Some(checkpoint) => {
                checkpoint.restore(problem, params).map_err(|reason| Error::State { reason })?
            }
        };
        Ok(Stages { problem, checkpointer, restored })
    }

    /// The initial factors, continued from the checkpoint of the basis.
    pub(crate) fn initial(
        &mut self,
        find: impl FnOnce(Option<BasisState<T>>, &Checkpointer<'_>) -> Result<Initial<T>, Error>,
    ) -> Result<Initial<T>, Error> {
        if let Some(initial) = self.restored.initial.take() {
            return Ok(initial);
        }
        let (factors, info) = find(self.restored.basis.take(), &self.checkpointer)?;
        self.offer(&factors, &info, None);
        Ok((factors, info))
    }

    /// The refined factors, continued from the checkpoint of the refinement.
    pub(crate) fn refined(
        &mut self,
        factors: FullFactors<T>,
        initial: &InitialInfo,
        refine: impl FnOnce(
            FullFactors<T>,
            Option<RefineState<T>>,
            &Checkpointer<'_>,
        ) -> Result<(FullFactors<T>, RefineInfo), Error>,
    ) -> Result<(FullFactors<T>, RefineInfo), Error> {
        if let Some(info) = self.restored.refined.take() {
            return Ok((factors, info));
        }
        let (factors, info) = refine(factors, self.restored.sweeps.take(), &self.checkpointer)?;
        self.offer(&factors, initial, Some(info.clone()));
        Ok((factors, info))
    }

    fn offer(&self, factors: &FullFactors<T>, initial: &InitialInfo, refine: Option<RefineInfo>) {
        self.checkpointer.offer(|| {
            let stage = StageCheckpoint::Factors { initial: initial.clone(), refine };
            CheckpointParts::of_factors(self.problem.passes_of_each(), stage, factors)
        });
    }
}
