//! Autoencoders of deep attributed network embedding: dense layers and their backward passes.

use gage_linalg::Tall;
use gage_linalg::random::fill_normal;

use super::layers::{combine, sparse_times, times, times_transposed, transposed_times};
use super::scalar::{Scalar, sigmoid};
use crate::input::Table;

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
        self.activated(times(input, &self.weights))
    }

    /// What the layer puts out for all rows of a table.
    pub(super) fn forward_table(&self, table: &Table) -> Tall<T> {
        match table {
            Table::Sparse(matrix) => self.activated(sparse_times(matrix, &self.weights)),
            Table::Dense(matrix) => self.forward(&matrix.converted()),
        }
    }

    fn activated(&self, mut products: Tall<T>) -> Tall<T> {
        let bias = self.bias.row(0);
        products.par_update_rows(|_, row| {
            for (x, b) in row.iter_mut().zip(bias) {
                *x = self.activation.apply(*x + *b);
            }
        });
        products
    }

    /// From the gradient of what was put out to that before the activation.
    pub(super) fn inside(&self, output: &Tall<T>, gradient: &Tall<T>) -> Tall<T> {
        combine(gradient, output, |g, out| g * self.activation.derivative(out))
    }

    /// Gradients of weights and bias.
    pub(super) fn own_gradients(&self, input: &Tall<T>, inside: &Tall<T>) -> [Tall<T>; 2] {
        let mut bias = Tall::<T>::zeros(1, inside.cols());
        for row in 0..inside.rows() {
            bias.row_mut(0).iter_mut().zip(inside.row(row)).for_each(|(sum, g)| *sum += *g);
        }
        [transposed_times(input, inside), bias]
    }

    /// The gradient of the input.
    pub(super) fn to_input(&self, inside: &Tall<T>) -> Tall<T> {
        times_transposed(inside, &self.weights)
    }

    pub(super) fn parameters(&mut self) -> [&mut Tall<T>; 2] {
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

    /// Codes of all rows of a table.
    pub(super) fn encode_table(&self, table: &Table) -> Tall<T> {
        self.layers[1].forward(&self.layers[0].forward_table(table))
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
            let inside = layer.inside(&outputs[at], &gradient);
            gradients.push(layer.own_gradients(before, &inside));
            // Nothing stands before the first layer.
            if at > 0 {
                gradient = layer.to_input(&inside);
            }
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

/// Some rows of a table, zeros included.
pub(super) fn rows_of<T: Scalar>(table: &Table, rows: &[usize]) -> Tall<T> {
    Tall::from_rows(rows.len(), table.cols(), |at, out: &mut [T]| {
        table.each(rows[at], |col, value| out[col] = T::from_f64(value));
    })
}
