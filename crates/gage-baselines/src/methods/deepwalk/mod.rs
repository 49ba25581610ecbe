//! DeepWalk: skip-gram over random walks.

mod huffman;
mod params;
mod skip_gram;
mod walks;

pub use params::DeepWalk;

use gage_embed::{Graph, Observer, Tall};

use crate::method::Method;
use crate::task::Task;
use crate::{Error, input};

use skip_gram::SkipGram;
use walks::Walks;

impl Method for DeepWalk {
    fn name(&self) -> &'static str {
        if *self == DeepWalk::paper() { "deepwalk-paper" } else { "deepwalk" }
    }

    fn describe(&self) -> &'static str {
        match self.name() {
            "deepwalk" => {
                "skip-gram over random walks: 10 walks of length 80, one epoch; no attributes"
            }
            _ => "skip-gram over random walks: 80 walks of length 40, five epochs; no attributes",
        }
    }

    fn embed(
        &self,
        graph: &Graph,
        dimension: usize,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Tall<f32>, Error> {
        let task = Task::new(self.name(), graph, dimension, seed, observer)?;
        self.check()?;
        let walks = Walks::new(&input::links(&task)?.matrix, self.walks, self.length, seed);
        if walks.starts().is_empty() {
            return Err(Error::NothingToEmbed { method: self.name() });
        }
        let vectors = SkipGram::new(self, &walks, dimension, seed).train(&walks, &task)?;
        task.finish(&vectors.converted())
    }
}
