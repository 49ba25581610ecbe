//! Graph autoencoders, plain and variational.

use gage_embed::Graph;
use gage_linalg::Tall;
use gage_linalg::random::{Stream, fill_normal};

use super::decoder::Decoder;
use super::layers::{
    Features, Propagation, combine, glorot, ordered_sum, simple_links, times, times_transposed,
    transposed_times, without_share,
};
use super::scalar::Scalar;
use super::training::{Network, Schedule, at_least_one, share_below_one, train};
use crate::memory::{self, Sizes};
use crate::method::Method;
use crate::task::Task;
use crate::{Error, input};

/// Graph autoencoder and variational graph autoencoder (Kipf and Welling, 2016).
///
/// With `P = D^-1/2 (A + I) D^-1/2`: `H = relu(P X W0)`, `Z = P H W1`, and `sigmoid(z_i^T z_j)` is
/// to predict the links. The variational form has a second head for the logarithm of a standard
/// deviation, samples `Z` once an epoch and adds the divergence from the standard normal
/// distribution, divided by the number of nodes; its embedding is the mean.
///
/// As in the authors' code: no biases, weights of Glorot, Adam with rate .01, 200 epochs without
/// early stopping, links weighted against all other pairs, and a hidden layer twice as wide as the
/// embedding (theirs is 32 and 16). Different from it: rows of attributes have length one, because
/// raw tf-idf rows let the training collapse ([`as_in_original`](Self::as_in_original) takes them
/// as they are). All links are used; hide some before the call to predict links. The inner products
/// of all pairs are computed in tiles and never kept: an epoch costs `4 n^2 F` flops, memory is
/// some ten blocks of `n x 2F`.
///
/// Quirk kept: the weight of links and the norm of the loss count `A` without its diagonal, while
/// the target has it. So the loss of a trained network is near .5, not near 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphAutoencoder {
    /// Whether nodes are distributions.
    pub variational: bool,
    /// Columns of the hidden layer per column of the embedding.
    pub hidden_ratio: usize,
    /// Whether rows of attributes have length one, else they are taken as they are.
    pub unit_rows: bool,
    /// Share of the links that is left out of the training, as for validation.
    pub validation: f64,
    /// Epochs; each goes through all pairs of nodes.
    pub epochs: usize,
    /// Rate of Adam.
    pub rate: f64,
}

impl GraphAutoencoder {
    /// The plain autoencoder.
    pub fn plain() -> GraphAutoencoder {
        GraphAutoencoder {
            variational: false,
            hidden_ratio: 2,
            unit_rows: true,
            validation: 0.0,
            epochs: 200,
            rate: 0.01,
        }
    }

    /// The variational autoencoder.
    pub fn variational() -> GraphAutoencoder {
        GraphAutoencoder { variational: true, ..GraphAutoencoder::plain() }
    }

    /// As the GAGE paper says it ran it: a twentieth of the links left out for validation. What it
    /// does with attributes it does not say; rows have length one.
    pub fn as_in_paper(self) -> GraphAutoencoder {
        GraphAutoencoder { validation: 0.05, ..self }
    }

    /// With attributes as they are, as the authors' code has them.
    pub fn as_in_original(self) -> GraphAutoencoder {
        GraphAutoencoder { unit_rows: false, ..self }
    }

    fn check(&self) -> Result<(), Error> {
        at_least_one("epochs", self.epochs)?;
        at_least_one("hidden_ratio", self.hidden_ratio)?;
        share_below_one("validation", self.validation)
    }
}

impl Method for GraphAutoencoder {
    fn name(&self) -> &'static str {
        if self.variational { "vgae" } else { "gae" }
    }

    fn describe(&self) -> &'static str {
        match self.variational {
            false => "graph autoencoder: two graph convolutions that predict the links",
            true => "variational graph autoencoder: nodes as distributions that predict the links",
        }
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn memory_bytes(&self, graph: &Graph, dimension: usize) -> u64 {
        let sizes = Sizes::of(graph);
        // In single precision four blocks of the hidden layer and six of each head, with the noise
        // and what it adds; weights of the first layer, their gradient and two means.
        let hidden = self.hidden_ratio.saturating_mul(dimension);
        let heads = if self.variational { 8 } else { 3 };
        let columns = hidden.saturating_mul(2).saturating_add(dimension.saturating_mul(heads));
        let blocks = sizes.blocks(columns);
        let weights = memory::product(&[18, sizes.attributes, hidden as u64]);
        memory::sum(&[sizes.links, sizes.table, blocks, weights])
    }

    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error> {
        let (dimension, seed) = (task.dimension, task.seed);
        self.check()?;
        let links = without_share(simple_links(&input::links(task)?)?, self.validation, seed)?;
        let table = input::attributes(task)?;
        let table = if self.unit_rows { table.unit_rows()? } else { table };
        let features = Features::<f32>::new(&table);
        let hidden = self.hidden_ratio.saturating_mul(dimension);
        let mut net =
            Autoencoder::new(&links, features, self.variational, (hidden, dimension), seed);
        let schedule = Schedule { rate: self.rate, epochs: self.epochs, patience: None };
        train(&mut net, &schedule, task)?;
        Ok(net.encode().mean.converted())
    }
}

/// The network; weights of the second head only if it is variational.
pub(super) struct Autoencoder<'a, T> {
    decoder: Decoder<'a>,
    propagation: Propagation,
    features: Features<T>,
    seed: u64,
    /// `W0`, `W1` and, for the logarithm of the deviation, `W2`.
    weights: Vec<Tall<T>>,
}

/// What a forward pass leaves for the backward pass.
pub(super) struct Encoded<T> {
    hidden: Tall<T>,
    pub(super) mean: Tall<T>,
    log_deviation: Option<Tall<T>>,
}

impl<'a, T: Scalar> Autoencoder<'a, T> {
    pub(super) fn new(
        links: &'a gage_embed::SparseMatrix,
        features: Features<T>,
        variational: bool,
        (hidden, dimension): (usize, usize),
        seed: u64,
    ) -> Autoencoder<'a, T> {
        let mut random = Stream::new(seed);
        let mut weights = vec![glorot(features.cols(), hidden, &mut random)];
        for _ in 0..1 + usize::from(variational) {
            weights.push(glorot(hidden, dimension, &mut random));
        }
        let propagation = Propagation::new(links.clone());
        Autoencoder { decoder: Decoder::new(links), propagation, features, seed, weights }
    }

    pub(super) fn encode(&self) -> Encoded<T> {
        let mut hidden = self.propagation.times(&self.features.times(&self.weights[0]));
        hidden.par_update_rows(|_, row| {
            row.iter_mut().filter(|x| **x < T::ZERO).for_each(|x| *x = T::ZERO);
        });
        let head = |weights| self.propagation.times(&times(&hidden, weights));
        let mean = head(&self.weights[1]);
        let log_deviation = self.weights.get(2).map(head);
        Encoded { hidden, mean, log_deviation }
    }

    /// The standard normal numbers of an epoch, one row per node.
    pub(super) fn noise(&self, epoch: usize, columns: usize) -> Tall<T> {
        let nodes = self.features.rows();
        let key = epoch as u64 * nodes as u64;
        Tall::from_rows(nodes, columns, |row, out| {
            fill_normal(self.seed ^ 0x5eed, key + row as u64, out);
        })
    }

    /// Gradients of all weights from those of the two heads.
    fn backward(&self, encoded: &Encoded<T>, heads: Vec<Tall<T>>) -> Vec<Tall<T>> {
        let hidden = &encoded.hidden;
        let mut of_hidden = Tall::zeros(hidden.rows(), hidden.cols());
        let mut gradients = Vec::new();
        for (head, weights) in heads.iter().zip(&self.weights[1..]) {
            let before = self.propagation.times(head);
            gradients.push(transposed_times(hidden, &before));
            of_hidden = combine(&of_hidden, &times_transposed(&before, weights), |a, b| a + b);
        }
        let masked = combine(&of_hidden, hidden, |g, h| if h > T::ZERO { g } else { T::ZERO });
        let first = self.features.transposed_times(&self.propagation.times(&masked));
        gradients.insert(0, first);
        gradients
    }
}

impl<T: Scalar> Network<T> for Autoencoder<'_, T> {
    fn parameters(&mut self) -> Vec<&mut Tall<T>> {
        self.weights.iter_mut().collect()
    }

    fn loss_and_gradient(&self, epoch: usize) -> (f64, Vec<Tall<T>>) {
        let encoded = self.encode();
        let Some(log_deviation) = &encoded.log_deviation else {
            let (loss, gradient) = self.decoder.loss_and_gradient(&encoded.mean);
            return (loss, self.backward(&encoded, vec![gradient]));
        };
        let mean = &encoded.mean;
        let noise = self.noise(epoch, mean.cols());
        // The noise times the deviation: what a sample adds to the mean, and its derivative too.
        let added = combine(&noise, log_deviation, |e, l| e * T::from_f64(l.to_f64().exp()));
        let sample = combine(mean, &added, |m, a| m + a);
        let (loss, of_sample) = self.decoder.loss_and_gradient(&sample);
        let square = (mean.rows() as f64).powi(-2);
        let of_mean = combine(&of_sample, mean, |g, m| g + m * T::from_f64(square));
        let through_sample = combine(&of_sample, &added, |g, a| g * a);
        let of_deviation = combine(&through_sample, log_deviation, |g, l| {
            g + T::from_f64(square * ((2.0 * l.to_f64()).exp() - 1.0))
        });
        let loss = loss + 0.5 * square * divergence(mean, log_deviation);
        (loss, self.backward(&encoded, vec![of_mean, of_deviation]))
    }
}

/// Twice the divergence of all nodes from the standard normal distribution,
/// `sum m^2 + e^2l - 1 - 2l`.
fn divergence<T: Scalar>(mean: &Tall<T>, log_deviation: &Tall<T>) -> f64 {
    ordered_sum(mean.rows(), |row| {
        let pairs = mean.row(row).iter().zip(log_deviation.row(row));
        let pairs = pairs.map(|(m, l)| (m.to_f64(), l.to_f64()));
        pairs.map(|(m, l)| m * m + (2.0 * l).exp() - 1.0 - 2.0 * l).sum()
    })
}
