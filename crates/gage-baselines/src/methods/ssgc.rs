//! Simple spectral graph convolution.

use gage_embed::{Graph, Tall};

use crate::algebra::{Smoothed, Smoother, Stored, normalise_rows, truncated_svd};
use crate::memory::{self, Sizes};
use crate::method::Method;
use crate::task::Task;
use crate::{Error, input};

/// `U S` of the mean of `S^t X` over `t = 1..steps`, rows divided by their length (Zhu and Koniusz,
/// ICLR 2021).
///
/// `S = D^-1/2 (A + I) D^-1/2`, directed links as `A + A^T`; `X` are tf-idf rows. The smoothed
/// attributes are never formed. Cost: some twenty passes of `steps` products with the links and one
/// with the attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ssgc {
    /// Steps of smoothing; at least 1.
    pub steps: usize,
}

impl Default for Ssgc {
    fn default() -> Self {
        Ssgc { steps: 8 }
    }
}

impl Method for Ssgc {
    fn name(&self) -> &'static str {
        "ssgc"
    }

    fn describe(&self) -> &'static str {
        "attributes averaged over 1 to 8 steps along the links, truncated SVD"
    }

    fn memory_bytes(&self, graph: &Graph, dimension: usize) -> u64 {
        let sizes = Sizes::of(graph);
        let svd = sizes.svd(sizes.attributes, dimension);
        memory::sum(&[sizes.links, sizes.table, svd, sizes.blocks(3 * (dimension + 8))])
    }

    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error> {
        if self.steps == 0 {
            return Err(Error::Parameter {
                name: "steps",
                value: "0".to_owned(),
                bound: "at least 1",
            });
        }
        let (links, table) = (input::links(task)?, input::attributes(task)?);
        let smoothed = Smoothed {
            smoother: Smoother::new(&links)?,
            steps: self.steps,
            table: Stored::from(table.tf_idf()?),
        };
        let mut rows = truncated_svd(&smoothed, task.dimension, task.seed, task)?.scaled_left();
        normalise_rows(&mut rows);
        Ok(rows)
    }
}
