//! T-PINE: links and nearest neighbours as two slabs of a tensor.

mod decompose;
mod neighbours;
mod params;

pub use params::TPine;

use gage_embed::{Graph, Tall};

use crate::algebra::Stored;
use crate::memory::{self, Sizes};
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

    fn memory_bytes(&self, graph: &Graph, dimension: usize) -> u64 {
        let sizes = Sizes::of(graph);
        // Every neighbour is an entry in both directions, first as pairs, then with its transpose.
        let near = memory::product(&[2 * 40, sizes.nodes, self.neighbours as u64]);
        memory::sum(&[sizes.links, sizes.table, near, sizes.blocks(6 * dimension)])
    }

    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error> {
        let (links, table) = (input::links(task)?, input::attributes(task)?);
        task.plan(1 + self.sweeps);
        let near = neighbours::nearest(&table.tf_idf()?, self.neighbours)?;
        task.step()?;
        let slabs = [Stored::sparse(links.matrix), Stored::sparse(near)];
        decompose::node_factor(&slabs, self, task)
    }
}
