//! What every stage of a fit needs besides its data.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Error;
use crate::progress::{Observer, Progress, Stage};
use gage_linalg::{Reducer, Workspace};

use super::checkpoint::{Draft, Keeping};

/// What every stage needs besides its data.
pub(crate) struct Context<'a> {
    pub(crate) reducer: &'a dyn Reducer,
    pub(crate) observer: &'a dyn Observer,
    /// Where tall matrices are allocated and kernels are counted.
    pub(crate) workspace: &'a Workspace,
    pub(crate) planned_passes: usize,
    /// Where states are kept, if anywhere.
    pub(crate) keeping: Option<Keeping<'a>>,
    /// Passes over each view that this run has made.
    pub(crate) done: AtomicUsize,
}

impl<'a> Context<'a> {
    /// A context that keeps no states.
    pub(crate) fn new(
        reducer: &'a dyn Reducer,
        observer: &'a dyn Observer,
        workspace: &'a Workspace,
        planned_passes: usize,
    ) -> Context<'a> {
        let done = AtomicUsize::new(0);
        Context { reducer, observer, workspace, planned_passes, keeping: None, done }
    }

    /// The same, without keeping states: for work beside the fit.
    pub(crate) fn aside(&self) -> Context<'a> {
        Context::new(self.reducer, self.observer, self.workspace, self.planned_passes)
    }

    /// Offers the state at a boundary.
    pub(crate) fn boundary<'d>(&self, draft: impl FnOnce() -> Draft<'d>) {
        if let Some(keeping) = &self.keeping {
            let due = keeping.keeper.due();
            keeping.kept.store(due, Ordering::Relaxed);
            if due {
                keeping.keep(draft());
            }
        }
    }

    /// As [`tick`](Context::tick); when the observer wants to stop, the state of the last boundary is kept first, unless
    /// it was already.
    pub(crate) fn tick_or_keep<'d>(
        &self,
        stage: Stage,
        passes: usize,
        relative_loss: Option<f64>,
        draft: impl FnOnce() -> Draft<'d>,
    ) -> Result<(), Error> {
        let outcome = self.tick(stage, passes, relative_loss);
        if let (Err(_), Some(keeping)) = (&outcome, &self.keeping)
            && !keeping.kept.swap(true, Ordering::Relaxed)
        {
            keeping.keep(draft());
        }
        outcome
    }

    /// Reports progress; an error when the observer wants to stop.
    pub(crate) fn tick(
        &self,
        stage: Stage,
        passes: usize,
        relative_loss: Option<f64>,
    ) -> Result<(), Error> {
        self.observer.progress(&Progress {
            stage,
            passes,
            planned_passes: self.planned_passes,
            relative_loss,
        });
        if let Some(failure) = self.workspace.take_spill_failure() {
            return Err(Error::MemoryLimit { reason: failure.to_string() });
        }
        if self.observer.cancelled() { Err(Error::Cancelled { stage }) } else { Ok(()) }
    }
}
