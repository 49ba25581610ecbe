//! Progress and cancellation.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::linalg::{Reducer, take_limit_failure};

use super::state::{Draft, Keeping};

/// A part of a fit, for progress reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// Norms of the views.
    Norms,
    /// Iterations that find the common basis.
    Basis,
    /// Factors of the core tensor.
    Factors,
    /// Rows of nodes that lack a view.
    MissingRows,
    /// Refinement at full size.
    Refine,
    /// Filling of single missing entries.
    Impute,
    /// Loadings for new nodes.
    Loadings,
    /// Certificate.
    Certificate,
    /// Steps of a method other than the library's own.
    OtherMethod,
}

/// One report of progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Passes over every view done so far in this fit.
    pub passes: usize,
    /// Passes the whole fit is expected to take at most.
    pub planned_passes: usize,
    /// Relative loss, where it is known.
    pub relative_loss: Option<f64>,
}

/// Receives progress, and may ask the fit to stop. Called between passes over the data.
pub trait Observer: Sync {
    /// Told after every pass and iteration.
    fn progress(&self, progress: &Progress) {
        let _ = progress;
    }
    /// When this becomes true the fit returns [`Error::Cancelled`] before its next pass.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

/// Why an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The improvement fell below the tolerance.
    Converged,
    /// The limit of iterations was reached; the result is valid but might still improve.
    IterationLimit,
    /// The result is exact (direct solution), no iteration was needed.
    Direct,
    /// No descent was possible any more at working precision.
    NoProgress,
}

/// What every stage needs besides its data.
pub(crate) struct Context<'a> {
    pub(crate) reducer: &'a dyn Reducer,
    pub(crate) observer: &'a dyn Observer,
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
        planned_passes: usize,
    ) -> Context<'a> {
        Context { reducer, observer, planned_passes, keeping: None, done: AtomicUsize::new(0) }
    }

    /// The same, without keeping states: for work beside the fit.
    pub(crate) fn aside(&self) -> Context<'a> {
        Context::new(self.reducer, self.observer, self.planned_passes)
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
        if let Some(failure) = take_limit_failure() {
            return Err(Error::MemoryLimit { reason: failure.to_string() });
        }
        if self.observer.cancelled() { Err(Error::Cancelled { stage }) } else { Ok(()) }
    }
}
