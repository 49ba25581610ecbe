//! Autoencoders of deep attributed network embedding: dense layers, their backward passes, and
//! their greedy pre-training.

use gage_linalg::Tall;
use gage_linalg::random::{Stream, fill_normal, mix};

use super::adam::Adam;
use super::layers::{combine, times, times_transposed, transposed_times, unit};
use super::scalar::{Scalar, sigmoid};
use crate::Error;
use crate::task::Task;

/// Slope of the hidden layers below zero.
const SLOPE: f64 = 0.2;

/// What a layer does to its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activation {
    Leaky,
    Linear,
    Sigmoid,
}

impl Activation {
    fn apply<T: Scalar>(self, x: T) -> T {
        match self {
            Activation::Linear => x,
            Activation::Leaky if x < T::ZERO => T::from_f64(SLOPE) * x,
            Activation::Leaky => x,
            Activation::Sigmoid => sigmoid(x),
        }
    }

    /// The derivative, from what was put out.
    fn derivative<T: Scalar>(self, out: T) -> T {
        match self {
            Activation::Linear => T::ONE,
            Activation::Leaky if out < T::ZERO => T::from_f64(SLOPE),
            Activation::Leaky => T::ONE,
            Activation::Sigmoid => T::from_f64(out.to_f64() * (1.0 - out.to_f64())),
        }
    }
}

/// One dense layer.
#[derive(Clone)]
pub(super) struct Layer<T> {
    weights: Tall<T>,
    bias: Tall<T>,
    activation: Activation,
}

impl<T: Scalar> Layer<T> {
    /// Normal weights with deviation `1 / sqrt(inputs)`, biases zero.
    pub(super) fn new(
        inputs: usize,
        outputs: usize,
        activation: Activation,
        seed: u64,
    ) -> Layer<T> {
        let scale = T::from_f64((inputs.max(1) as f64).sqrt().recip());
        let weights = Tall::from_rows(inputs, outputs, |row, out: &mut [T]| {
            fill_normal(seed, row as u64, out);
            out.iter_mut().for_each(|x| *x = scale * *x);
        });
        Layer { weights, bias: Tall::zeros(1, outputs), activation }
    }

    pub(super) fn forward(&self, input: &Tall<T>) -> Tall<T> {
        let mut out = times(input, &self.weights);
        let bias = self.bias.row(0);
        out.par_update_rows(|_, row| {
            for (x, b) in row.iter_mut().zip(bias) {
                *x = self.activation.apply(*x + *b);
            }
        });
        out
    }

    /// Gradients of weights and bias, and that of the input.
    fn backward(
        &self,
        input: &Tall<T>,
        output: &Tall<T>,
        gradient: &Tall<T>,
    ) -> ([Tall<T>; 2], Tall<T>) {
        let before = combine(gradient, output, |g, out| g * self.activation.derivative(out));
        let mut bias = Tall::<T>::zeros(1, before.cols());
        for row in 0..before.rows() {
            bias.row_mut(0).iter_mut().zip(before.row(row)).for_each(|(sum, g)| *sum += *g);
        }
        let to_input = times_transposed(&before, &self.weights);
        ([transposed_times(input, &before), bias], to_input)
    }

    fn parameters(&mut self) -> [&mut Tall<T>; 2] {
        [&mut self.weights, &mut self.bias]
    }
}

/// An autoencoder of four layers: inputs, hidden, code, hidden, inputs.
pub(super) struct Autoencoder<T> {
    layers: Vec<Layer<T>>,
}

impl<T: Scalar> Autoencoder<T> {
    pub(super) fn new(layers: Vec<Layer<T>>) -> Autoencoder<T> {
        debug_assert_eq!(layers.len(), 4);
        Autoencoder { layers }
    }

    pub(super) fn encode(&self, input: &Tall<T>) -> Tall<T> {
        self.layers[1].forward(&self.layers[0].forward(input))
    }

    /// What every layer puts out; the second is the code, the last the reconstruction.
    pub(super) fn forward(&self, input: &Tall<T>) -> Vec<Tall<T>> {
        let mut outputs: Vec<Tall<T>> = Vec::new();
        for layer in &self.layers {
            let out = layer.forward(outputs.last().unwrap_or(input));
            outputs.push(out);
        }
        outputs
    }

    /// Gradients of all parameters, from that of the reconstruction and that of the code.
    pub(super) fn backward(
        &self,
        input: &Tall<T>,
        outputs: &[Tall<T>],
        of_reconstruction: Tall<T>,
        of_code: &Tall<T>,
    ) -> Vec<Tall<T>> {
        let (mut gradients, mut gradient) = (Vec::new(), of_reconstruction);
        for (at, layer) in self.layers.iter().enumerate().rev() {
            if at == 1 {
                gradient = combine(&gradient, of_code, |a, b| a + b);
            }
            let before = if at == 0 { input } else { &outputs[at - 1] };
            let (own, to_input) = layer.backward(before, &outputs[at], &gradient);
            gradients.push(own);
            gradient = to_input;
        }
        gradients.into_iter().rev().flatten().collect()
    }

    pub(super) fn parameters(&mut self) -> Vec<&mut Tall<T>> {
        self.layers.iter_mut().flat_map(Layer::parameters).collect()
    }
}

/// The summed squared error of every row, as a mean over rows, and its gradient.
pub(super) fn squared_error<T: Scalar>(output: &Tall<T>, target: &Tall<T>) -> (f64, Tall<T>) {
    let inverse = 1.0 / output.rows().max(1) as f64;
    let pairs = output.data().iter().zip(target.data());
    let sum: f64 = pairs.map(|(a, b)| (a.to_f64() - b.to_f64()).powi(2)).sum();
    let twice = T::from_f64(2.0 * inverse);
    (sum * inverse, combine(output, target, |a, b| twice * (a - b)))
}

/// How layers are trained one after the other.
#[derive(Clone, Copy)]
pub(super) struct Pretraining {
    pub(super) steps: usize,
    pub(super) batch: usize,
    /// Share of inputs and of hidden numbers that is kept.
    pub(super) keep: f64,
}

/// Trains a layer and its counterpart as a denoising autoencoder of `rows`.
pub(super) fn pretrain<T: Scalar>(
    pair: &mut [Layer<T>; 2],
    nodes: usize,
    rows: &(dyn Fn(&[usize]) -> Tall<T> + Sync),
    how: Pretraining,
    seed: u64,
    task: &Task<'_>,
) -> Result<(), Error> {
    let mut adam = Adam::new(1e-3);
    for step in 0..how.steps {
        let mut random = Stream::new(seed ^ mix(step as u64));
        let batch: Vec<usize> = (0..how.batch).map(|_| random.below(nodes)).collect();
        let clean = rows(&batch);
        let noisy = dropped(&clean, how.keep, mix(seed ^ (2 * step as u64)));
        let hidden = pair[0].forward(&noisy);
        let kept = dropped(&hidden, how.keep, mix(seed ^ (2 * step as u64 + 1)));
        let output = pair[1].forward(&kept);
        let (loss, of_output) = squared_error(&output, &clean);
        if !loss.is_finite() {
            return Err(Error::NotFinite { method: task.method });
        }
        let (second, of_kept) = pair[1].backward(&kept, &output, &of_output);
        // What was dropped passes no gradient on; what was kept was scaled by 1 / keep.
        let scale = T::from_f64(how.keep.recip());
        let of_hidden = combine(&of_kept, &kept, |g, k| if k == T::ZERO { k } else { scale * g });
        let (first, _) = pair[0].backward(&noisy, &hidden, &of_hidden);
        let [a, b] = pair;
        let mut parameters: Vec<&mut Tall<T>> =
            a.parameters().into_iter().chain(b.parameters()).collect();
        let gradients: Vec<Tall<T>> = first.into_iter().chain(second).collect();
        adam.step(&mut parameters, &gradients);
        // The authors' schedule: a tenth after the first step, after 20,000 and after 40,000.
        adam.set_rate(match step {
            0..20_000 => 1e-4,
            20_000..40_000 => 1e-5,
            _ => 1e-6,
        });
        task.step_with_loss(loss)?;
    }
    Ok(())
}

/// Every number kept with a probability, and then divided by it; else zero.
fn dropped<T: Scalar>(x: &Tall<T>, keep: f64, key: u64) -> Tall<T> {
    Tall::from_rows(x.rows(), x.cols(), |row, out: &mut [T]| {
        let mut random = Stream::new(key ^ mix(row as u64));
        let scale = T::from_f64(keep.recip());
        for (out, value) in out.iter_mut().zip(x.row(row)) {
            if unit(&mut random) < keep {
                *out = scale * *value;
            }
        }
    })
}
