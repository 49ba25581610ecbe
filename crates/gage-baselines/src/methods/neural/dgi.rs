//! Deep graph infomax.

use gage_embed::{Graph, SparseMatrix};
use gage_linalg::Tall;
use gage_linalg::random::Stream;

use super::layers::{Features, Propagation, combine, glorot, ordered_sum, simple_links, uniform};
use super::scalar::{Scalar, sigmoid, softplus};
use super::training::{Network, Schedule, at_least_one, train};
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
/// new lowest loss; the weights of the lowest are taken. The default has their limit of 10,000
/// epochs, [`Dgi::paper`] the 1,000 of the comparison in the GAGE paper.
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
        // Some ten blocks in single precision; weights, their gradient, two means, and the best
        // ones.
        let weights = memory::product(&[20, sizes.attributes, dimension as u64]);
        memory::sum(&[sizes.links, sizes.table, sizes.blocks(5 * dimension), weights])
    }

    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error> {
        let (dimension, seed) = (task.dimension, task.seed);
        at_least_one("epochs", self.epochs)?;
        let links = simple_links(&input::links(task)?)?;
        let features = Features::<f32>::new(&input::attributes(task)?.rows_of_sum_one()?);
        let mut net = Infomax::new(links, features, dimension, seed);
        let patience = Some(self.patience);
        let schedule = Schedule { rate: self.rate, epochs: self.epochs, patience };
        train(&mut net, &schedule, task)?;
        let hidden = net.activate(&net.before_activation(&net.weighted()));
        Ok(hidden.converted())
    }
}

/// The network: weights, bias, slope, bilinear form and its bias.
pub(super) struct Infomax<T> {
    propagation: Propagation,
    features: Features<T>,
    seed: u64,
    weights: Tall<T>,
    bias: Tall<T>,
    slope: Tall<T>,
    bilinear: Tall<T>,
    offset: Tall<T>,
}

impl<T: Scalar> Infomax<T> {
    pub(super) fn new(
        links: SparseMatrix,
        features: Features<T>,
        dimension: usize,
        seed: u64,
    ) -> Infomax<T> {
        let mut random = Stream::new(seed);
        // A bilinear layer counts the area of one slice for a fan: F^2 + F.
        let bound = (6.0 / (dimension * dimension + dimension) as f64).sqrt();
        Infomax {
            propagation: Propagation::new(links),
            weights: glorot(features.cols(), dimension, &mut random),
            bilinear: uniform(dimension, dimension, bound, &mut random),
            bias: Tall::zeros(1, dimension),
            slope: Tall::from_rows(1, 1, |_, out: &mut [T]| out[0] = T::from_f64(0.25)),
            offset: Tall::zeros(1, 1),
            features,
            seed,
        }
    }

    fn weighted(&self) -> Tall<T> {
        self.features.times(&self.weights)
    }

    fn before_activation(&self, weighted: &Tall<T>) -> Tall<T> {
        let mut out = self.propagation.times(weighted);
        let bias = self.bias.row(0);
        out.par_update_rows(|_, row| row.iter_mut().zip(bias).for_each(|(x, b)| *x += *b));
        out
    }

    fn activate(&self, before: &Tall<T>) -> Tall<T> {
        let slope = self.slope.data()[0];
        combine(before, before, |x, _| if x > T::ZERO { x } else { slope * x })
    }

    /// Gradients of one of the two passes: of the block before activation, and of the slope.
    fn through_activation(&self, before: &Tall<T>, gradient: &Tall<T>) -> (Tall<T>, f64) {
        let slope = self.slope.data()[0];
        let of_slope = ordered_sum(before.rows(), |row| {
            let pairs = before.row(row).iter().zip(gradient.row(row));
            pairs.filter(|(x, _)| **x <= T::ZERO).map(|(x, g)| x.to_f64() * g.to_f64()).sum()
        });
        let inside = combine(gradient, before, |g, x| if x > T::ZERO { g } else { slope * g });
        (inside, of_slope)
    }
}

/// `M v`.
fn matrix_vector<T: Scalar>(matrix: &Tall<T>, vector: &[f64]) -> Vec<f64> {
    let dot = |row: usize| matrix.row(row).iter().zip(vector).map(|(a, b)| a.to_f64() * b).sum();
    (0..matrix.rows()).map(dot).collect()
}

/// `M^T v`.
fn transposed_vector<T: Scalar>(matrix: &Tall<T>, vector: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; matrix.cols()];
    for (row, factor) in vector.iter().enumerate() {
        out.iter_mut().zip(matrix.row(row)).for_each(|(out, a)| *out += factor * a.to_f64());
    }
    out
}

/// `sum_i weight_i x_i` over rows, in a fixed order.
fn weighted_sum<T: Scalar>(x: &Tall<T>, weight: impl Fn(usize) -> f64) -> Vec<f64> {
    let weights: Vec<f64> = (0..x.rows()).map(weight).collect();
    gage_linalg::kernel::weighted_row_sum(x, &weights)
}

fn row_of<T: Scalar>(values: &[f64]) -> Tall<T> {
    Tall::from_rows(1, values.len(), |_, out: &mut [T]| {
        out.iter_mut().zip(values).for_each(|(out, x)| *out = T::from_f64(*x));
    })
}

impl<T: Scalar> Network<T> for Infomax<T> {
    fn parameters(&mut self) -> Vec<&mut Tall<T>> {
        vec![
            &mut self.weights,
            &mut self.bias,
            &mut self.slope,
            &mut self.bilinear,
            &mut self.offset,
        ]
    }

    fn loss_and_gradient(&self, epoch: usize) -> (f64, Vec<Tall<T>>) {
        let nodes = self.features.rows();
        let mut order: Vec<usize> = (0..nodes).collect();
        Stream::new(self.seed ^ gage_linalg::random::mix(epoch as u64 + 1)).shuffle(&mut order);
        let weighted = self.weighted();
        let (width, inverse) = (weighted.cols(), 1.0 / nodes as f64);
        let shuffled = Tall::<T>::from_rows(nodes, width, |row, out| {
            out.copy_from_slice(weighted.row(order[row]));
        });
        let before = [self.before_activation(&weighted), self.before_activation(&shuffled)];
        let hidden = [self.activate(&before[0]), self.activate(&before[1])];
        let summary: Vec<f64> =
            weighted_sum(&hidden[0], |_| inverse).into_iter().map(sigmoid::<f64>).collect();
        let direction = matrix_vector(&self.bilinear, &summary);
        let offset = self.offset.data()[0].to_f64();
        let score = |row: &[T]| -> f64 {
            row.iter().zip(&direction).map(|(h, d)| h.to_f64() * d).sum::<f64>() + offset
        };
        // The mean cross entropy over real nodes (target 1) and shuffled ones (target 0).
        let scores = [0, 1]
            .map(|k| -> Vec<f64> { (0..nodes).map(|row| score(hidden[k].row(row))).collect() });
        let half = 0.5 * inverse;
        let real: f64 = scores[0].iter().map(|s| softplus(-s)).sum();
        let loss = half * (real + scores[1].iter().map(|s| softplus(*s)).sum::<f64>());
        let by_score = [
            scores[0].iter().map(|s| -half * sigmoid::<f64>(-s)).collect::<Vec<f64>>(),
            scores[1].iter().map(|s| half * sigmoid::<f64>(*s)).collect(),
        ];
        // The bilinear form, and through it the summary, which is of real nodes only.
        let mut towards = weighted_sum(&hidden[0], |row| by_score[0][row]);
        let others = weighted_sum(&hidden[1], |row| by_score[1][row]);
        towards.iter_mut().zip(others).for_each(|(a, b)| *a += b);
        let of_bilinear = Tall::<T>::from_rows(width, width, |row, out| {
            out.iter_mut().zip(&summary).for_each(|(out, s)| *out = T::from_f64(towards[row] * s));
        });
        let of_mean: Vec<f64> = transposed_vector(&self.bilinear, &towards)
            .into_iter()
            .zip(&summary)
            .map(|(g, s)| inverse * g * s * (1.0 - s))
            .collect();
        let mut of_slope = 0.0;
        let mut of_bias = vec![0.0; width];
        let mut of_weighted = Tall::<T>::zeros(nodes, width);
        for k in [0, 1] {
            let of_hidden = Tall::<T>::from_rows(nodes, width, |row, out| {
                for ((out, d), m) in out.iter_mut().zip(&direction).zip(&of_mean) {
                    let through_mean = if k == 0 { *m } else { 0.0 };
                    *out = T::from_f64(by_score[k][row] * d + through_mean);
                }
            });
            let (inside, slope) = self.through_activation(&before[k], &of_hidden);
            of_slope += slope;
            let sums = weighted_sum(&inside, |_| 1.0);
            of_bias.iter_mut().zip(sums).for_each(|(a, b)| *a += b);
            let spread = self.propagation.times(&inside);
            if k == 0 {
                of_weighted = spread;
            } else {
                order.iter().enumerate().for_each(|(row, &from)| {
                    let target = of_weighted.row_mut(from).iter_mut();
                    target.zip(spread.row(row)).for_each(|(a, b)| *a += *b);
                });
            }
        }
        let of_offset: f64 = by_score.iter().flatten().sum();
        let gradients = vec![
            self.features.transposed_times(&of_weighted),
            row_of(&of_bias),
            row_of(&[of_slope]),
            of_bilinear,
            row_of(&[of_offset]),
        ];
        (loss, gradients)
    }
}
