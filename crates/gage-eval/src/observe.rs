//! Progress and cancellation of evaluations.

use gage_core::holdout::EvalError;
use gage_core::solver::{NoObserver, Observer};

/// Watches an evaluation; the fits within it report to the same observer.
pub trait EvalObserver: Observer {
    /// Told before the first step and after every one: a split trained and tested, a clustering, a
    /// fit.
    fn step(&self, done: usize, planned: usize) {
        let _ = (done, planned);
    }
}

impl EvalObserver for NoObserver {}

/// An error once the observer cancels.
pub(super) fn check(observer: &dyn EvalObserver) -> Result<(), EvalError> {
    if observer.cancelled() { Err(EvalError::Cancelled) } else { Ok(()) }
}

/// Counts steps for an observer.
pub(super) struct Counter<'a> {
    observer: &'a dyn EvalObserver,
    done: usize,
    planned: usize,
}

impl<'a> Counter<'a> {
    pub(super) fn new(observer: &'a dyn EvalObserver, planned: usize) -> Counter<'a> {
        observer.step(0, planned);
        Counter { observer, done: 0, planned }
    }

    /// One more step is done; an error if the observer cancels.
    pub(super) fn step(&mut self) -> Result<(), EvalError> {
        self.done += 1;
        self.observer.step(self.done, self.planned.max(self.done));
        check(self.observer)
    }
}
