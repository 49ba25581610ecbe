//! Simple spectral graph convolution.

use gage_embed::{Graph, Observer, Tall};

use crate::algebra::{Smoothed, Smoother, Stored, truncated_svd};
use crate::method::Method;
use crate::task::{Task, normalise_rows};
use crate::{Error, input};

/// `U S` of the mean of `S^t X` over `t = 1..steps`, rows divided by their length (Zhu and Koniusz, ICLR 2021).
///
/// `S = D^-1/2 (A + I) D^-1/2`, directed links as `A + A^T`; `X` are tf-idf rows. The smoothed attributes are never formed.
/// Cost: some twenty passes of `steps` products with the links and one with the attributes.
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

    fn embed(
        &self,
        graph: &Graph,
        dimension: usize,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Tall<f32>, Error> {
        let task = Task::new(self.name(), graph, dimension, seed, observer)?;
        if self.steps == 0 {
            return Err(Error::Parameter {
                name: "steps",
                value: "0".to_owned(),
                bound: "at least 1",
            });
        }
        let (links, table) = (input::links(&task)?, input::attributes(&task)?);
        let smoothed = Smoothed {
            smoother: Smoother::new(&links)?,
            steps: self.steps,
            table: Stored::from(table.tf_idf()?),
        };
        let mut rows = truncated_svd(&smoothed, dimension, seed, &task)?.scaled_left();
        normalise_rows(&mut rows);
        task.finish(&rows)
    }
}
