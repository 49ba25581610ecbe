//! The trait all methods share.

use gage_embed::{Graph, Observer, Tall};

use crate::Error;

/// A method that turns a graph into one vector per node.
pub trait Method: Send + Sync {
    /// Short name, by which it is asked for.
    fn name(&self) -> &'static str;

    /// What it does, in one sentence.
    fn describe(&self) -> &'static str;

    /// One row of `dimension` numbers per node, mean squared entry 1. The same `seed` gives the same bits at any number
    /// of threads. The observer hears of every pass and may stop the work between two of them.
    fn embed(
        &self,
        graph: &Graph,
        dimension: usize,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Tall<f32>, Error>;
}
