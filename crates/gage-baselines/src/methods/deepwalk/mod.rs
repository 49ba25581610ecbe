//! DeepWalk: skip-gram over random walks.

mod huffman;
mod params;
mod skip_gram;
mod walks;

pub use params::DeepWalk;

use gage_embed::{Graph, Tall};

use crate::memory::{self, Sizes};
use crate::method::Method;
use crate::task::Task;
use crate::{Error, input};

use skip_gram::SkipGram;
pub(crate) use walks::Walks;

impl Method for DeepWalk {
    fn name(&self) -> &'static str {
        "deepwalk"
    }

    fn describe(&self) -> &'static str {
        "skip-gram over random walks: 10 walks of length 80, one epoch; no attributes"
    }

    fn is_slow(&self) -> bool {
        *self == DeepWalk::paper()
    }

    fn memory_bytes(&self, graph: &Graph, dimension: usize) -> u64 {
        let sizes = Sizes::of(graph);
        // Three tables in single precision, the vectors once more in double, and a Huffman path of
        // about `log2 n` steps for each node.
        let paths = memory::product(&[16, sizes.nodes, u64::from(sizes.nodes.max(2).ilog2())]);
        memory::sum(&[sizes.links, paths, sizes.blocks(3 * dimension)])
    }

    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error> {
        self.check()?;
        let walks = Walks::new(&input::links(task)?.matrix, self.walks, self.length, task.seed);
        if walks.starts().is_empty() {
            return Err(Error::NothingToEmbed { method: self.name() });
        }
        let vectors = SkipGram::new(self, &walks, task.dimension, task.seed).train(&walks, task)?;
        Ok(vectors.converted())
    }
}
