//! One run of a method: its checks at the start and its progress.

use std::sync::atomic::{AtomicUsize, Ordering};

use gage_embed::solver::Stage;
use gage_embed::{Graph, Observer, Progress};

use crate::Error;

/// One run of a method: what was requested, and where it reports.
pub struct Task<'a> {
    /// Name of the method.
    pub method: &'static str,
    /// The graph to embed.
    pub graph: &'a Graph,
    /// Columns of the embedding.
    pub dimension: usize,
    /// Decides everything random.
    pub seed: u64,
    observer: &'a dyn Observer,
    done: AtomicUsize,
    planned: AtomicUsize,
}

impl<'a> Task<'a> {
    /// Checks what every method checks.
    pub(crate) fn new(
        method: &'static str,
        graph: &'a Graph,
        dimension: usize,
        seed: u64,
        observer: &'a dyn Observer,
    ) -> Result<Task<'a>, Error> {
        if graph.nodes().is_empty() {
            return Err(Error::NoNodes);
        }
        if dimension == 0 {
            return Err(Error::Dimension);
        }
        let (done, planned) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Ok(Task { method, graph, dimension, seed, observer, done, planned })
    }

    /// Announces further steps, at most this many.
    pub fn plan(&self, steps: usize) {
        self.planned.fetch_add(steps, Ordering::Relaxed);
    }

    /// Reports one step; an error when the observer wants to stop.
    pub fn step(&self) -> Result<(), Error> {
        self.report(None)
    }

    /// As [`step`](Task::step), after an epoch with this loss. Each method has a loss of its own:
    /// T-PINE's is relative to that of an embedding of zeros, those of networks are what they
    /// train on.
    pub fn step_with_loss(&self, loss: f64) -> Result<(), Error> {
        self.report(Some(loss))
    }

    /// An error when the observer wants to stop: within steps that take long.
    pub fn check(&self) -> Result<(), Error> {
        if self.cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Whether the observer wants to stop.
    pub fn cancelled(&self) -> bool {
        self.observer.cancelled()
    }

    fn report(&self, loss: Option<f64>) -> Result<(), Error> {
        let passes = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.observer.progress(&Progress {
            stage: Stage::OtherMethod,
            passes,
            planned_passes: self.planned.load(Ordering::Relaxed).max(passes),
            relative_loss: loss,
        });
        self.check()
    }
}
