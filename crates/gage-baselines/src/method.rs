//! The trait all methods share.

use gage_embed::{Graph, Observer, Tall};
use gage_linalg::memory::catch;

use crate::scale::finish;
use crate::task::Task;
use crate::{Error, Scale};

/// A method that turns a graph into one vector per node.
///
/// A new method implements [`name`](Method::name), [`describe`](Method::describe),
/// [`memory_bytes`](Method::memory_bytes) and [`run`](Method::run), and is listed in
/// [`methods`](crate::methods()).
pub trait Method: Send + Sync {
    /// Short name, as given on the command line.
    fn name(&self) -> &'static str;

    /// What it does, in one sentence.
    fn describe(&self) -> &'static str;

    /// Whether a run trains for minutes where other methods take seconds: it is left out of
    /// comparisons unless it is requested.
    fn is_slow(&self) -> bool {
        false
    }

    /// About how many bytes a run holds at its peak beside the graph, before anything is computed.
    fn memory_bytes(&self, graph: &Graph, dimension: usize) -> u64;

    /// [`memory_bytes`](Method::memory_bytes), or an error if that is more than is available.
    fn check_memory(&self, graph: &Graph, dimension: usize, available: u64) -> Result<u64, Error> {
        let needed = self.memory_bytes(graph, dimension);
        if needed > available {
            return Err(Error::Memory { method: self.name(), needed, available });
        }
        Ok(needed)
    }

    /// The method itself: one row per node, at any scale. Columns beyond the dimension are dropped,
    /// missing ones are zeros. It reports every pass or epoch with [`Task::step`] or
    /// [`Task::step_with_loss`], which may stop the work.
    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error>;

    /// One row of `dimension` numbers per node, mean squared entry 1. The same `seed` gives the
    /// same bits at any number of threads. The observer hears of every pass and may stop the work
    /// between two of them.
    fn embed(
        &self,
        graph: &Graph,
        dimension: usize,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Tall<f32>, Error> {
        self.embed_at(Scale::MeanSquare, graph, dimension, seed, observer)
    }

    /// As [`embed`](Method::embed), at any scale.
    fn embed_at(
        &self,
        scale: Scale,
        graph: &Graph,
        dimension: usize,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Tall<f32>, Error> {
        let embed = || {
            let task = Task::new(self.name(), graph, dimension, seed, observer)?;
            finish(&self.run(&task)?, dimension, scale, self.name())
        };
        catch(embed)?
    }
}
