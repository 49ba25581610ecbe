//! Adaptive graph encoding.

use gage_embed::Graph;
use gage_linalg::Tall;
use gage_linalg::random::{Stream, mix};

use super::adam::Adam;
use super::age_encoder::Encoder;
use super::age_pairs::Pairs;
use super::layers::{blank_unknown, simple_links};
use super::training::at_least_one;
use crate::memory::{self, Sizes};
use crate::method::Method;
use crate::task::Task;
use crate::{Error, input};

/// Pairs in a batch, of either kind, at most.
const BATCH: usize = 10_000;

/// Adaptive graph encoding (Cui et al., KDD 2020).
///
/// Attributes are smoothed `steps` times by `I - 2/3 L`, `L` the normalised Laplacian of links with
/// loops. One linear layer follows; its rows are scaled to `[0, 1]` by their least and largest
/// entry and then to length one. It is trained to give high cosines to the pairs of nodes that are
/// most alike and low ones to those least alike; pairs are chosen anew from the embedding every ten
/// epochs, from ever fewer similar and ever fewer dissimilar ones.
///
/// As in the authors' code: all ordered pairs count, those of a node with itself included; the loss
/// is the cross entropy of the cosine itself; Adam with rate .001, 400 epochs. Defaults are their
/// defaults (three steps, similar pairs from .0015 to .001 of all, dissimilar ones from .9 to .5);
/// they use other ones for each data set, such as eight steps and .011 on Cora ([`Age::cora`]). The
/// GAGE paper does not say which it took; its numbers are those of the defaults.
///
/// Quirks kept: shares change once before pairs are first chosen anew, so that the second choice
/// has those of the third; the cross entropy takes the cosine as it is, so that the loss cannot
/// fall below .5. Different: similar pairs are shuffled before they are cut into batches, where
/// theirs come in the order in which a partial sort leaves them; dissimilar ones are drawn by
/// rejection below a threshold instead of from a list of `n^2` pairs; a row without a range and a
/// node nothing is known about get zeros. For clusters they keep the epoch of the best
/// Davies-Bouldin score, here it is always the last one. Their embeddings have 500 columns.
///
/// Smoothed attributes are applied, not formed, except once for the first choice of pairs: `4 n d`
/// bytes. An epoch costs `.0015 n^2 / 10000` passes over the data, a new choice `4 n^2 F` flops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Age {
    /// Steps of smoothing.
    pub steps: usize,
    /// Share of all pairs that are similar, at first and in the end.
    pub similar: (f64, f64),
    /// Share of all pairs that are *not* dissimilar, at first and in the end.
    pub not_dissimilar: (f64, f64),
    /// Epochs.
    pub epochs: usize,
    /// Epochs after which pairs are chosen anew.
    pub renew: usize,
    /// Rate of Adam.
    pub rate: f64,
}

impl Default for Age {
    fn default() -> Self {
        Age {
            steps: 3,
            similar: (0.0015, 0.001),
            not_dissimilar: (0.1, 0.5),
            epochs: 400,
            renew: 10,
            rate: 1e-3,
        }
    }
}

impl Age {
    /// The authors' setting for Cora.
    pub fn cora() -> Age {
        Age { steps: 8, similar: (0.011, 0.001), ..Age::default() }
    }

    fn check(&self) -> Result<(), Error> {
        at_least_one("epochs", self.epochs)?;
        at_least_one("renew", self.renew)?;
        let shares = [("similar", self.similar), ("not_dissimilar", self.not_dissimilar)];
        for (name, (first, last)) in shares {
            if let Some(value) = [first, last].iter().find(|x| !(**x > 0.0 && **x < 1.0)) {
                let bound = "between 0 and 1, both excluded";
                return Err(Error::Parameter { name, value: value.to_string(), bound });
            }
        }
        Ok(())
    }

    /// Both shares after so many changes: linear over the epochs.
    fn shares(&self, changes: usize) -> (f64, f64) {
        let all = (self.epochs as f64 / self.renew as f64).max(1.0);
        let part = (changes as f64 / all).min(1.0);
        let between = |(first, last): (f64, f64)| first + part * (last - first);
        (between(self.similar), 1.0 - between(self.not_dissimilar))
    }
}

impl Method for Age {
    fn name(&self) -> &'static str {
        "age"
    }

    fn describe(&self) -> &'static str {
        "adaptive graph encoding: smoothed attributes, a linear layer trained on its own best pairs"
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn memory_bytes(&self, graph: &Graph, dimension: usize) -> u64 {
        let sizes = Sizes::of(graph);
        let smoothed = memory::product(&[8, sizes.nodes, sizes.attributes]);
        let share = self.similar.0.max(self.similar.1);
        let pairs = (share * (sizes.nodes as f64).powi(2) * 24.0) as u64;
        let weights = memory::product(&[17, sizes.attributes, dimension as u64]);
        let blocks = sizes.blocks(dimension.saturating_mul(5));
        memory::sum(&[sizes.links, sizes.table, smoothed, pairs, weights, blocks])
    }

    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error> {
        self.check()?;
        let links = simple_links(&input::links(task)?)?;
        let table = input::attributes(task)?;
        let mut net =
            Encoder::<f32>::new(links.clone(), &table, self.steps, task.dimension, task.seed);
        let (mut rows, mut changes) = (net.smoothed_attributes(&table), 0);
        let mut adam = Adam::new(self.rate);
        task.plan(self.epochs);
        for first in (0..self.epochs).step_by(self.renew) {
            let (similar, dissimilar) = self.shares(changes);
            let mut pairs = Pairs::select(&rows, similar, dissimilar, task)?;
            Stream::new(mix(task.seed ^ first as u64)).shuffle(&mut pairs.similar);
            // The shares move once before the first renewal, in the authors' code too.
            changes += if first == 0 { 2 } else { 1 };
            for epoch in first..self.epochs.min(first + self.renew) {
                let loss = one_epoch(&mut net, &mut adam, &pairs, epoch, task)?;
                task.step_with_loss(loss)?;
            }
            rows = net.encode().rows;
        }
        blank_unknown(&mut rows, &links, &table);
        Ok(rows.converted())
    }
}

/// Goes through the similar pairs once, with as many dissimilar ones; returns the mean loss.
fn one_epoch(
    net: &mut Encoder<f32>,
    adam: &mut Adam<f32>,
    pairs: &Pairs<'_>,
    epoch: usize,
    task: &Task<'_>,
) -> Result<f64, Error> {
    let mut total = 0.0;
    for (at, positive) in pairs.similar.chunks(BATCH).enumerate() {
        task.check()?;
        let key = mix(task.seed ^ mix(epoch as u64)) ^ at as u64;
        let negative = pairs.dissimilar(positive.len(), key);
        let (loss, gradient) = net.loss_and_gradient(positive, &negative)?;
        total += loss * positive.len() as f64;
        adam.step(&mut net.parameters(), &gradient);
    }
    let mean = total / pairs.similar.len() as f64;
    if mean.is_finite() { Ok(mean) } else { Err(Error::NotFinite { method: task.method }) }
}
