//! The context of a fit: observer, reducer, workspace, checkpoint store.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::progress::{NoObserver, Observer, Progress, Stage};
use gage_linalg::{LocalReducer, Reducer, Workspace};

use super::checkpoint::CheckpointStore;

/// Who a fit reports to, who else holds rows of it, where its memory is, and where its checkpoints
/// go.
///
/// ```
/// use gage_embed::NoObserver;
/// use gage_embed::solver::FitContext;
/// let ctx = FitContext { observer: &NoObserver, ..FitContext::default() };
/// assert!(ctx.checkpoints.is_none());
/// ```
#[derive(Clone)]
pub struct FitContext<'a> {
    /// Told of progress; it may also stop the fit.
    pub observer: &'a dyn Observer,
    /// The other workers, if there are any. Every worker passes its own part of the graph
    /// ([`Graph::part`](crate::Graph::part)) and receives a model that holds its own rows;
    /// everything else in it is the same on all workers.
    pub reducer: &'a dyn Reducer,
    /// Where tall matrices are allocated and kernels are counted.
    pub workspace: Workspace,
    /// Saves checkpoints, if there is one.
    pub checkpoints: Option<&'a dyn CheckpointStore>,
}

impl Default for FitContext<'_> {
    /// No observer, one worker, memory without a limit, no checkpoints.
    fn default() -> Self {
        FitContext {
            observer: &NoObserver,
            reducer: &LocalReducer,
            workspace: Workspace::default(),
            checkpoints: None,
        }
    }
}

/// What every stage needs besides its data.
pub(crate) struct Context<'a> {
    pub(crate) reducer: &'a dyn Reducer,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) workspace: &'a Workspace,
    planned_passes: usize,
    /// Passes over each view that this run has made.
    passes_done: AtomicUsize,
    /// What was reported last.
    stage: Mutex<Stage>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        reducer: &'a dyn Reducer,
        observer: &'a dyn Observer,
        workspace: &'a Workspace,
        planned_passes: usize,
    ) -> Context<'a> {
        let (passes_done, stage) = (AtomicUsize::new(0), Mutex::new(Stage::Norms));
        Context { reducer, observer, workspace, planned_passes, passes_done, stage }
    }

    /// Whether this worker holds all rows.
    pub(crate) fn is_alone(&self) -> bool {
        self.reducer.is_single()
    }

    /// Counts passes that this run has made.
    pub(crate) fn count_passes(&self, passes: usize) {
        self.passes_done.fetch_add(passes, Ordering::Relaxed);
    }

    /// Passes that this run has made.
    pub(crate) fn passes_done(&self) -> usize {
        self.passes_done.load(Ordering::Relaxed)
    }

    /// The stage under way, as it was reported last.
    pub(crate) fn stage(&self) -> Stage {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports progress; an error if the observer cancels.
    pub(crate) fn report(
        &self,
        stage: Stage,
        passes: usize,
        relative_loss: Option<f64>,
    ) -> Result<(), Error> {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
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
