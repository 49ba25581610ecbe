//! The trait all methods share.

use gage_embed::{Graph, Observer, Tall};
use gage_linalg::memory::catch;

use crate::Error;
use crate::task::Task;

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
        let embed = || {
            let task = Task::new(self.name(), graph, dimension, seed, observer)?;
            task.finish(&self.run(&task)?)
        };
        catch(embed)?
    }
}
