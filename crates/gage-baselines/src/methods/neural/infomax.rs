//! The network of deep graph infomax: one graph convolution and a bilinear score.

use gage_embed::SparseMatrix;
use gage_linalg::Tall;
use gage_linalg::kernel::weighted_row_sum;
use gage_linalg::random::{Stream, mix};

use super::layers::{Features, Propagation, combine, glorot, ordered_sum, uniform};
use super::scalar::{Scalar, sigmoid, softplus};
use super::training::Network;

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

    /// The embedding: `H` of the graph itself.
    pub(super) fn encode(&self) -> Tall<T> {
        self.pass(&self.features.times(&self.weights)).hidden
    }

    /// One pass over the graph, from the product of (shuffled) attributes and weights.
    fn pass(&self, weighted: &Tall<T>) -> Pass<T> {
        let mut before = self.propagation.times(weighted);
        let (bias, slope) = (self.bias.row(0), self.slope.data()[0]);
        before.par_update_rows(|_, row| row.iter_mut().zip(bias).for_each(|(x, b)| *x += *b));
        let hidden = combine(&before, &before, |x, _| if x > T::ZERO { x } else { slope * x });
        Pass { before, hidden }
    }

    /// In which order the rows of the attributes stand in an epoch.
    pub(super) fn order(&self, epoch: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.features.rows()).collect();
        Stream::new(self.seed ^ mix(epoch as u64 + 1)).shuffle(&mut order);
        order
    }

    /// Mean cross entropy of the scores `h^T B s + c` of real nodes (target 1) and of shuffled ones
    /// (target 0), `s` the logistic function of the mean of real rows; and its derivatives by the
    /// scores.
    fn score(&self, passes: &[Pass<T>; 2]) -> Scored {
        let nodes = self.features.rows();
        let inverse = 1.0 / nodes as f64;
        let mean = weighted_row_sum(&passes[0].hidden, &vec![inverse; nodes]);
        let summary: Vec<f64> = mean.into_iter().map(sigmoid::<f64>).collect();
        let direction = matrix_vector(&self.bilinear, &summary);
        let offset = self.offset.data()[0].to_f64();
        let (mut loss, half) = (0.0, 0.5 * inverse);
        let by_score = [0, 1].map(|which| {
            let hidden = &passes[which].hidden;
            let scores = matrix_vector(hidden, &direction).into_iter().map(|s| s + offset);
            // A shuffled node is to have a low score, a real one a high one.
            let sign = if which == 0 { -1.0 } else { 1.0 };
            let towards = scores.map(|score| {
                loss += half * softplus(sign * score);
                half * sign * sigmoid::<f64>(sign * score)
            });
            towards.collect()
        });
        Scored { loss, summary, direction, by_score }
    }

    /// The gradient, in the order of the parameters.
    fn backward(&self, passes: &[Pass<T>; 2], scored: &Scored, order: &[usize]) -> Vec<Tall<T>> {
        let Scored { summary, direction, by_score, .. } = scored;
        let width = direction.len();
        // The bilinear form, and through it the summary, which is of real nodes only.
        let mut towards = weighted_row_sum(&passes[0].hidden, &by_score[0]);
        add(&mut towards, &weighted_row_sum(&passes[1].hidden, &by_score[1]));
        let of_bilinear = Tall::<T>::from_rows(width, width, |row, out| {
            out.iter_mut().zip(summary).for_each(|(out, s)| *out = T::from_f64(towards[row] * s));
        });
        let inverse = 1.0 / order.len() as f64;
        let of_summary = transposed_vector(&self.bilinear, &towards).into_iter().zip(summary);
        let of_mean: Vec<f64> = of_summary.map(|(g, s)| inverse * g * s * (1.0 - s)).collect();
        let real = self.through_pass(&passes[0], &by_score[0], direction, &of_mean);
        let shuffled = self.through_pass(&passes[1], &by_score[1], direction, &vec![0.0; width]);
        let (mut of_weighted, mut of_bias) = (real.of_weighted, real.of_bias);
        add(&mut of_bias, &shuffled.of_bias);
        for (row, &from) in order.iter().enumerate() {
            let target = of_weighted.row_mut(from).iter_mut();
            target.zip(shuffled.of_weighted.row(row)).for_each(|(a, b)| *a += *b);
        }
        let of_offset: f64 = by_score.iter().flatten().sum();
        vec![
            self.features.transposed_times(&of_weighted),
            row_of(&of_bias),
            row_of(&[real.of_slope + shuffled.of_slope]),
            of_bilinear,
            row_of(&[of_offset]),
        ]
    }

    /// Gradients of one pass. The rows of its hidden layer get the direction of the score times the
    /// derivative by it, and all of them that of the mean.
    fn through_pass(
        &self,
        pass: &Pass<T>,
        by_score: &[f64],
        direction: &[f64],
        of_mean: &[f64],
    ) -> PassGradient<T> {
        let (rows, width) = (pass.before.rows(), direction.len());
        let of_hidden = Tall::<T>::from_rows(rows, width, |row, out| {
            for ((out, d), mean) in out.iter_mut().zip(direction).zip(of_mean) {
                *out = T::from_f64(by_score[row] * d + mean);
            }
        });
        let (inside, of_slope) = self.through_activation(&pass.before, &of_hidden);
        PassGradient {
            of_bias: weighted_row_sum(&inside, &vec![1.0; rows]),
            of_weighted: self.propagation.times(&inside),
            of_slope,
        }
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

/// What one pass computes: the convolution with its bias, and the same after the activation.
struct Pass<T> {
    before: Tall<T>,
    hidden: Tall<T>,
}

/// Gradients of the parameters of one pass.
struct PassGradient<T> {
    of_weighted: Tall<T>,
    of_bias: Vec<f64>,
    of_slope: f64,
}

/// The loss, and what its gradient is made of.
struct Scored {
    loss: f64,
    summary: Vec<f64>,
    /// `B s`.
    direction: Vec<f64>,
    /// Derivatives by the scores of real and of shuffled nodes.
    by_score: [Vec<f64>; 2],
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

/// Adds a vector to another.
fn add(sum: &mut [f64], other: &[f64]) {
    sum.iter_mut().zip(other).for_each(|(sum, x)| *sum += x);
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

    /// Attributes times weights are computed once; the shuffled pass permutes their rows.
    fn loss_and_gradient(&self, epoch: usize) -> (f64, Vec<Tall<T>>) {
        let order = self.order(epoch);
        let weighted = self.features.times(&self.weights);
        let shuffled = Tall::<T>::from_rows(order.len(), weighted.cols(), |row, out| {
            out.copy_from_slice(weighted.row(order[row]));
        });
        let passes = [self.pass(&weighted), self.pass(&shuffled)];
        let scored = self.score(&passes);
        (scored.loss, self.backward(&passes, &scored, &order))
    }
}
