//! Adaptive graph encoding.

use gage_embed::Graph;
use gage_linalg::random::{Stream, mix};
use gage_linalg::{SparseMatrix, Tall};

use super::adam::Adam;
use super::age_pairs::Pairs;
use super::layers::{Features, Propagation, combine, simple_links, sparse_times, uniform};
use super::scalar::{Scalar, sigmoid, softplus};
use super::training::at_least_one;
use crate::input::Table;
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
/// they use other ones for each data set, such as eight steps and .011 on Cora. Different: similar
/// pairs are shuffled before they are cut into batches, where theirs come in the order of their
/// cosines. Smoothed attributes are applied, not formed, except once for the first choice of pairs:
/// `4 n d` bytes. An epoch costs `.0015 n^2 / 10000` passes over the data, a new choice `4 n^2 F`
/// flops.
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
        let weights = memory::product(&[16, sizes.attributes, dimension as u64]);
        let blocks = sizes.blocks(5 * dimension);
        memory::sum(&[sizes.links, sizes.table, smoothed, pairs, weights, blocks])
    }

    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error> {
        let (dimension, seed) = (task.dimension, task.seed);
        self.check()?;
        let links = simple_links(&input::links(task)?)?;
        let table = input::attributes(task)?;
        let mut net = Encoder::<f32>::new(links, &table, self.steps, dimension, seed);
        let (mut rows, mut changes) = (net.smoothed_attributes(&table), 0);
        let mut adam = Adam::new(self.rate);
        task.plan(self.epochs);
        for first in (0..self.epochs).step_by(self.renew) {
            let (similar, dissimilar) = self.shares(changes);
            let mut pairs = Pairs::select(&rows, similar, dissimilar);
            Stream::new(mix(seed ^ first as u64)).shuffle(&mut pairs.similar);
            // The shares move once before the first renewal, in the authors' code too.
            changes += if first == 0 { 2 } else { 1 };
            for epoch in first..self.epochs.min(first + self.renew) {
                let mut total = 0.0;
                for (at, positive) in pairs.similar.chunks(BATCH).enumerate() {
                    let key = mix(seed ^ mix(epoch as u64)) ^ at as u64;
                    let negative = pairs.dissimilar(positive.len(), key);
                    let (loss, gradient) = net.loss_and_gradient(positive, &negative)?;
                    total += loss * positive.len() as f64;
                    adam.step(&mut net.parameters(), &gradient);
                }
                let mean = total / pairs.similar.len() as f64;
                if !mean.is_finite() {
                    return Err(Error::NotFinite { method: self.name() });
                }
                task.step_with_loss(mean)?;
            }
            rows = net.encode().rows;
        }
        Ok(rows.converted())
    }
}

/// One linear layer over smoothed attributes.
pub(super) struct Encoder<T> {
    propagation: Propagation,
    features: Features<T>,
    steps: usize,
    weights: Tall<T>,
    bias: Tall<T>,
}

/// What a forward pass leaves for the backward pass.
pub(super) struct Encoded<T> {
    scaled: Tall<T>,
    /// Rows of length one.
    pub(super) rows: Tall<T>,
    ranges: Vec<Range>,
}

/// Where the least and the largest entry of a row stand, their difference, and the length of the
/// row once scaled by them.
#[derive(Clone, Copy, Default)]
struct Range {
    least: usize,
    largest: usize,
    width: f64,
    length: f64,
}

impl<T: Scalar> Encoder<T> {
    pub(super) fn new(
        links: SparseMatrix,
        table: &Table,
        steps: usize,
        dimension: usize,
        seed: u64,
    ) -> Encoder<T> {
        let mut random = Stream::new(seed);
        let bound = (table.cols().max(1) as f64).sqrt().recip();
        let weights = uniform(table.cols(), dimension, bound, &mut random);
        let bias = uniform(1, dimension, bound, &mut random);
        let features = Features::new(table);
        Encoder { propagation: Propagation::new(links), features, steps, weights, bias }
    }

    pub(super) fn parameters(&mut self) -> Vec<&mut Tall<T>> {
        vec![&mut self.weights, &mut self.bias]
    }

    fn smooth(&self, mut x: Tall<T>) -> Tall<T> {
        let (own, around) = (T::from_f64(1.0 / 3.0), T::from_f64(2.0 / 3.0));
        for _ in 0..self.steps {
            let spread = self.propagation.times(&x);
            x = combine(&x, &spread, |x, s| own * x + around * s);
        }
        x
    }

    /// Smoothed attributes with rows of length one.
    fn smoothed_attributes(&self, table: &Table) -> Tall<T> {
        let mut rows = self.smooth(Tall::from_rows(table.rows(), table.cols(), |row, out| {
            table.each(row, |col, value| out[col] = T::from_f64(value));
        }));
        rows.par_update_rows(|_, row| {
            let length = row.iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
            if length > 0.0 {
                row.iter_mut().for_each(|x| *x = T::from_f64(x.to_f64() / length));
            }
        });
        rows
    }

    pub(super) fn encode(&self) -> Encoded<T> {
        let mut scaled = self.smooth(self.features.times(&self.weights));
        let bias = self.bias.row(0);
        scaled.par_update_rows(|_, row| {
            row.iter_mut().zip(bias).for_each(|(x, b)| *x += *b);
        });
        let mut ranges: Vec<Range> =
            (0..scaled.rows()).map(|row| range_of(scaled.row(row))).collect();
        scaled.par_update_rows(|at, row| {
            let (low, width) = (row[ranges[at].least].to_f64(), ranges[at].width);
            let scale = |x: T| if width > 0.0 { (x.to_f64() - low) / width } else { 0.0 };
            row.iter_mut().for_each(|x| *x = T::from_f64(scale(*x)));
        });
        for (at, range) in ranges.iter_mut().enumerate() {
            let squares = scaled.row(at).iter().map(|x| x.to_f64().powi(2));
            range.length = squares.sum::<f64>().sqrt();
        }
        let mut rows = scaled.clone();
        rows.par_update_rows(|at, row| {
            let length = ranges[at].length;
            if length > 0.0 {
                row.iter_mut().for_each(|x| *x = T::from_f64(x.to_f64() / length));
            }
        });
        Encoded { scaled, rows, ranges }
    }

    /// The mean cross entropy of the cosines of similar pairs (target 1) and dissimilar ones
    /// (target 0).
    pub(super) fn loss_and_gradient(
        &self,
        similar: &[(u32, u32)],
        dissimilar: &[(u32, u32)],
    ) -> Result<(f64, Vec<Tall<T>>), Error> {
        let encoded = self.encode();
        let rows = &encoded.rows;
        let inverse = 1.0 / (similar.len() + dissimilar.len()).max(1) as f64;
        let targets = similar.iter().map(|pair| (pair, true));
        let targets = targets.chain(dissimilar.iter().map(|pair| (pair, false)));
        let (mut loss, mut by_cosine) = (0.0, Vec::new());
        for (&(i, j), alike) in targets {
            let products = rows.row(i as usize).iter().zip(rows.row(j as usize));
            let cosine: f64 = products.map(|(a, b)| a.to_f64() * b.to_f64()).sum();
            loss += inverse * softplus(if alike { -cosine } else { cosine });
            let target = if alike { 1.0 } else { 0.0 };
            let derivative = inverse * (sigmoid(cosine) - target);
            by_cosine.extend([(i, j, derivative), (j, i, derivative)]);
        }
        let by_cosine = SparseMatrix::from_triplets(rows.rows(), rows.rows(), &by_cosine)?;
        let of_output = encoded.backward(&sparse_times(&by_cosine, rows));
        let of_bias = Tall::from_rows(1, rows.cols(), |_, out: &mut [T]| {
            let ones = vec![1.0; of_output.rows()];
            let sums = gage_linalg::kernel::weighted_row_sum(&of_output, &ones);
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out = T::from_f64(sum));
        });
        let of_weights = self.features.transposed_times(&self.smooth(of_output));
        Ok((loss, vec![of_weights, of_bias]))
    }
}

fn range_of<T: Scalar>(row: &[T]) -> Range {
    let (mut least, mut largest) = (0, 0);
    for (at, x) in row.iter().enumerate() {
        if *x < row[least] {
            least = at;
        }
        if *x > row[largest] {
            largest = at;
        }
    }
    let width = row[largest].to_f64() - row[least].to_f64();
    Range { least, largest, width, length: 0.0 }
}

impl<T: Scalar> Encoded<T> {
    /// From the gradient of the rows to that of what the linear layer put out. With
    /// `z = (y - m) / r`, `r = M - m`, the least entry gets `sum g (z - 1) / r` and the largest
    /// `-sum g z / r` besides.
    fn backward(&self, gradient: &Tall<T>) -> Tall<T> {
        Tall::from_rows(gradient.rows(), gradient.cols(), |at, out: &mut [T]| {
            let Range { least, largest, width, length } = self.ranges[at];
            if !(width > 0.0 && length > 0.0) {
                return;
            }
            let (unit, scaled, g) = (self.rows.row(at), self.scaled.row(at), gradient.row(at));
            let along: f64 = unit.iter().zip(g).map(|(u, g)| u.to_f64() * g.to_f64()).sum();
            let (mut to_least, mut to_largest) = (0.0, 0.0);
            for (col, out) in out.iter_mut().enumerate() {
                let (z, u) = (scaled[col].to_f64(), unit[col].to_f64());
                let g = (g[col].to_f64() - u * along) / length;
                *out = T::from_f64(g / width);
                to_least += g * (z - 1.0) / width;
                to_largest -= g * z / width;
            }
            out[least] += T::from_f64(to_least);
            out[largest] += T::from_f64(to_largest);
        })
    }
}
