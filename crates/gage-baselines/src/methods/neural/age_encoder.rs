//! The encoder of adaptive graph encoding: one linear layer over smoothed attributes, rows scaled
//! to their range and to length one.

use gage_linalg::kernel::weighted_row_sum;
use gage_linalg::random::Stream;
use gage_linalg::{SparseMatrix, Tall};

use super::layers::{Features, Propagation, combine, sparse_times, uniform};
use super::scalar::{Scalar, sigmoid, softplus};
use crate::Error;
use crate::input::Table;

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
    pub(super) fn smoothed_attributes(&self, table: &Table) -> Tall<T> {
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
            let sums = weighted_row_sum(&of_output, &ones);
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
