//! Wraps iterations and stages, so that a fit can be stopped anywhere and resumed.

use crate::error::Error;
use crate::solver::context::Context;

use super::record::{
    CheckpointHeader, CheckpointParts, CheckpointStore, FitCheckpointRef, ImputationRound,
};

/// An iteration that can be resumed at the beginning of every step.
pub(crate) trait Iteration {
    /// Why it ended, and what only its end knows.
    type Outcome;
    /// Passes over every view so far.
    fn passes(&self) -> Vec<usize>;
    /// Its state, after these passes.
    fn checkpoint(&self, passes: Vec<usize>) -> CheckpointParts<'_>;
    /// One step, and the outcome if it is the last. An error leaves everything as it was before.
    fn advance(&mut self, ctx: &Context<'_>) -> Result<Option<Self::Outcome>, Error>;
}

/// Offers checkpoints of a fit to a store, if there is one.
#[derive(Clone, Copy)]
pub(crate) struct Checkpointer<'a> {
    destination: Option<Destination<'a>>,
}

/// A store, and what identifies the fit.
#[derive(Clone, Copy)]
struct Destination<'a> {
    store: &'a dyn CheckpointStore,
    fingerprint: &'a str,
    round: &'a ImputationRound,
}

impl<'a> Checkpointer<'a> {
    /// Saves nothing: for work beside the fit.
    pub(crate) const NONE: Checkpointer<'static> = Checkpointer { destination: None };

    pub(crate) fn new(
        store: Option<&'a dyn CheckpointStore>,
        fingerprint: &'a str,
        round: &'a ImputationRound,
    ) -> Checkpointer<'a> {
        let destination = store.map(|store| Destination { store, fingerprint, round });
        Checkpointer { destination }
    }

    /// Runs an iteration to its end. It is offered to the store before every step, and saved in
    /// any case when the observer stops a step.
    pub(crate) fn iterate<I: Iteration>(
        &self,
        iteration: &mut I,
        ctx: &Context<'_>,
    ) -> Result<I::Outcome, Error> {
        loop {
            let passes = iteration.passes();
            let saved = self.offer(|| iteration.checkpoint(passes.clone()));
            match iteration.advance(ctx) {
                Ok(None) => {}
                Ok(Some(outcome)) => return Ok(outcome),
                Err(stop) => {
                    if let Some(destination) = self.destination.filter(|_| !saved) {
                        destination.save(iteration.checkpoint(passes));
                    }
                    return Err(stop);
                }
            }
        }
    }

    /// Saves a checkpoint if one is due; returns whether it did.
    pub(super) fn offer<'p>(&self, parts: impl FnOnce() -> CheckpointParts<'p>) -> bool {
        let due = self.destination.filter(|destination| destination.store.due());
        due.inspect(|destination| destination.save(parts())).is_some()
    }
}

impl Destination<'_> {
    fn save(&self, parts: CheckpointParts<'_>) {
        let CheckpointParts { passes, stage, tall, mut small } = parts;
        let estimates = self.round.estimates.iter().enumerate();
        small.extend(estimates.map(|(at, values)| (format!("estimates{at}"), values.clone())));
        let header = CheckpointHeader {
            fingerprint: self.fingerprint.to_owned(),
            round: self.round.number,
            change: self.round.change,
            passes,
            stage,
        };
        self.store.save(&FitCheckpointRef { header, tall, small });
    }
}
