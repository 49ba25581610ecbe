//! T-PINE: links and nearest neighbours as two slabs of a tensor.

mod decompose;
mod neighbours;
mod params;

pub use params::TPine;

use gage_embed::{Graph, Observer, Tall};

use crate::algebra::Stored;
use crate::method::Method;
use crate::task::Task;
use crate::{Error, input};

impl Method for TPine {
    fn name(&self) -> &'static str {
        "tpine"
    }

    fn describe(&self) -> &'static str {
        "CP decomposition of the tensor of links and nearest neighbours by attributes"
    }

    fn embed(
        &self,
        graph: &Graph,
        dimension: usize,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Tall<f32>, Error> {
        let task = Task::new(self.name(), graph, dimension, seed, observer)?;
        let (links, table) = (input::links(&task)?, input::attributes(&task)?);
        task.plan(1 + self.sweeps);
        let near = neighbours::nearest(&table.tf_idf()?, self.neighbours)?;
        task.tick()?;
        let slabs = [Stored::sparse(links.matrix), Stored::sparse(near)];
        task.finish(&decompose::node_factor(&slabs, self, &task)?)
    }
}
