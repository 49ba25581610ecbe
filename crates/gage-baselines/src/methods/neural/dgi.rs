//! Deep graph infomax.

use gage_embed::Graph;
use gage_linalg::Tall;

use super::infomax::Infomax;
use super::layers::{Features, blank_unknown, simple_links};
use super::training::{Schedule, at_least_one, train};
use crate::memory::{self, Sizes};
use crate::method::Method;
use crate::task::Task;
use crate::{Error, input};

/// Deep graph infomax (Velickovic et al., ICLR 2019).
///
/// One graph convolution `H = prelu(P X W + b)`, trained to tell nodes of the graph from nodes of
/// the same graph with shuffled attributes, by their bilinear product with a summary of all nodes:
/// `s = sigmoid(mean H)`, score `h^T B s + c`. The embedding is `H` of the graph itself.
///
/// As in the authors' code: rows of attributes sum to one, one slope for all columns that starts at
/// .25, Adam with rate .001, a new shuffle every epoch, and training ends after 20 epochs without a
/// new lowest loss; the weights of the lowest are taken. The loss of an epoch is that before its
/// step, so these are the weights that had it. The default has their limit of 10,000 epochs,
/// [`Dgi::paper`] the 1,000 of the comparison in the GAGE paper. Different: where attributes are
/// negative, the sum of a row is that of their sizes, which cannot vanish; nodes nothing is known
/// about get zeros, not the activated bias. Their embeddings have 512 columns.
///
/// Cost of an epoch: two products of links and one of attributes with `F` columns, and as many
/// Cost of an epoch: two products of links and one of attributes with `F` columns, and as many
/// backwards; memory about twelve blocks of `n x F` and six of the weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dgi {
    /// Epochs at most.
    pub epochs: usize,
    /// Epochs without a new lowest loss after which training ends.
    pub patience: usize,
    /// Rate of Adam.
    pub rate: f64,
}

impl Default for Dgi {
    fn default() -> Self {
        Dgi { epochs: 10_000, patience: 20, rate: 1e-3 }
    }
}

impl Dgi {
    /// As the GAGE paper ran it: at most 1,000 epochs.
    pub fn paper() -> Dgi {
        Dgi { epochs: 1000, ..Dgi::default() }
    }
}

impl Method for Dgi {
    fn name(&self) -> &'static str {
        "dgi"
    }

    fn describe(&self) -> &'static str {
        "deep graph infomax: a graph convolution that tells real from shuffled attributes"
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn memory_bytes(&self, graph: &Graph, dimension: usize) -> u64 {
        let sizes = Sizes::of(graph);
        // Some twelve blocks in single precision; of weights and of the bilinear form their
        // gradient, two means, and the best ones.
        let weights = memory::product(&[24, sizes.attributes, dimension as u64]);
        let bilinear = memory::product(&[24, dimension as u64, dimension as u64]);
        let blocks = sizes.blocks(dimension.saturating_mul(6));
        memory::sum(&[sizes.links, sizes.table, blocks, weights, bilinear])
    }

    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error> {
        let (dimension, seed) = (task.dimension, task.seed);
        at_least_one("epochs", self.epochs)?;
        let links = simple_links(&input::links(task)?)?;
        let table = input::attributes(task)?.rows_of_sum_one()?;
        let features = Features::<f32>::new(&table);
        let mut net = Infomax::new(links.clone(), features, dimension, seed);
        let patience = Some(self.patience);
        let schedule = Schedule { rate: self.rate, epochs: self.epochs, patience };
        train(&mut net, &schedule, task)?;
        let mut hidden = net.encode();
        blank_unknown(&mut hidden, &links, &table);
        Ok(hidden.converted())
    }
}
