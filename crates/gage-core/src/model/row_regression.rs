//! Rows of a fit by regression on what is known about nodes.
//!
//! ```text
//! min over W, a of  sum_i w_i ||u_i - a - z_i W||^2 + ridge ||W||^2,    w_i = 1 / |e_i|
//! ```
//!
//! with the inputs `z_i` and the length `|e_i|` of the row in the embedding. Without these weights
//! a few nodes with long rows (hubs in a raw adjacency, long texts in raw counts) would decide.
//! The regression takes off length, so deviations from the mean row are multiplied by the one
//! number that restores the mean length.

use faer::Mat;

use gage_linalg::kernel::{cross_gram, gram, times_small};
use gage_linalg::small::PsdSolver;
use gage_linalg::{LocalReducer, Tall};

/// Ridge relative to the mean square of each input, for as many nodes as inputs.
const RIDGE: f64 = 0.2;

/// Rows shorter than this share of the mean length weigh as rows of this length.
const LEAST_LENGTH: f64 = 0.1;

/// Largest factor that restores the length of rows.
const MAX_LENGTHENING: f64 = 10.0;

/// Halvings of the interval of that factor.
const HALVINGS: usize = 40;

/// Weights and intercept of a regression, on the scale of fitted rows.
pub(super) struct RowRegression {
    pub(super) weights: Mat<f64>,
    pub(super) intercept: Vec<f64>,
}

impl RowRegression {
    /// Rows from inputs, one row each per node. `squared_factors` are the squared column factors
    /// of the embedding, by which lengths are measured. Cost `n (p^2 + p F)` for `p` inputs.
    pub(super) fn new(
        mut inputs: Tall<f64>,
        mut rows: Tall<f64>,
        squared_factors: &[f64],
    ) -> RowRegression {
        let (count, width, columns) = (inputs.rows(), inputs.cols(), rows.cols());
        let lengths: Vec<f64> =
            (0..count).map(|row| length(rows.row(row), squared_factors)).collect();
        let mean_length = lengths.iter().sum::<f64>() / count as f64;
        let weights = node_weights(&lengths, mean_length);
        let input_mean = centre(&mut inputs, &weights);
        let row_mean = centre(&mut rows, &weights);
        let normal = gram(&inputs, &LocalReducer);
        let cross = cross_gram(&inputs, &rows, &LocalReducer);
        let norms: Vec<f64> = (0..width).map(|f| normal[(f, f)].max(0.0).sqrt()).collect();
        let inverse = |f: usize| if norms[f] > 0.0 { 1.0 / norms[f] } else { 0.0 };
        let ridge = RIDGE * width as f64 / count as f64;
        let normal = Mat::from_fn(width, width, |f, g| {
            inverse(f) * normal[(f, g)] * inverse(g) + if f == g { ridge } else { 0.0 }
        });
        let cross = Mat::from_fn(width, columns, |f, g| inverse(f) * cross[(f, g)]);
        let solved = PsdSolver::new(normal.as_ref()).solve(cross.as_ref());
        let slopes = Mat::from_fn(width, columns, |f, g| inverse(f) * solved[(f, g)]);
        let mut deviations = times_small(&inputs, slopes.as_ref());
        deviations.par_update_rows(|row, values| {
            values.iter_mut().for_each(|value| *value /= weights[row].sqrt());
        });
        let factor = if mean_length > 0.0 {
            lengthening(&deviations, &row_mean, squared_factors, mean_length)
        } else {
            1.0
        };
        let intercept = (0..columns).map(|g| {
            let of_mean: f64 = (0..width).map(|f| input_mean[f] * slopes[(f, g)]).sum();
            row_mean[g] - factor * of_mean
        });
        RowRegression {
            intercept: intercept.collect(),
            weights: Mat::from_fn(width, columns, |f, g| factor * slopes[(f, g)]),
        }
    }
}

/// Length of a row in the embedding.
fn length(row: &[f64], squared_factors: &[f64]) -> f64 {
    row.iter()
        .zip(squared_factors)
        .map(|(value, factor)| factor * value * value)
        .sum::<f64>()
        .sqrt()
}

/// `1 / |e_i|`, with mean one.
fn node_weights(lengths: &[f64], mean_length: f64) -> Vec<f64> {
    if mean_length <= 0.0 {
        return vec![1.0; lengths.len()];
    }
    let least = LEAST_LENGTH * mean_length;
    let mut weights: Vec<f64> = lengths.iter().map(|length| 1.0 / length.max(least)).collect();
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    weights.iter_mut().for_each(|weight| *weight /= mean);
    weights
}

/// Subtracts the weighted mean row, multiplies rows by the roots of their weights, and returns the
/// mean.
fn centre(tall: &mut Tall<f64>, weights: &[f64]) -> Vec<f64> {
    let mut mean = vec![0.0; tall.cols()];
    for (row, weight) in weights.iter().enumerate() {
        for (mean, value) in mean.iter_mut().zip(tall.row(row)) {
            *mean += weight * value;
        }
    }
    mean.iter_mut().for_each(|sum| *sum /= weights.len() as f64);
    tall.par_update_rows(|row, values| {
        let root = weights[row].sqrt();
        values.iter_mut().zip(&mean).for_each(|(value, mean)| *value = root * (*value - mean));
    });
    mean
}

/// The factor of the deviations from the mean row that gives rows this mean length. The length is
/// a convex function of the factor that begins below, so there is one.
fn lengthening(
    deviations: &Tall<f64>,
    mean: &[f64],
    squared_factors: &[f64],
    mean_length: f64,
) -> f64 {
    // |m + s d|^2 = |m|^2 + 2 s m.d + s^2 |d|^2 in the embedding.
    let constant = length(mean, squared_factors).powi(2);
    let terms: Vec<(f64, f64)> = (0..deviations.rows())
        .map(|row| {
            let row = deviations.row(row);
            let parts = row.iter().zip(mean).zip(squared_factors);
            let inner: f64 = parts.map(|((d, m), factor)| factor * d * m).sum();
            (2.0 * inner, length(row, squared_factors).powi(2))
        })
        .collect();
    let mean_at = |s: f64| {
        let lengths = terms
            .iter()
            .map(|(linear, square)| (constant + s * linear + s * s * square).max(0.0).sqrt());
        lengths.sum::<f64>() / terms.len() as f64
    };
    let (mut low, mut high) = (0.0, MAX_LENGTHENING);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if mean_at(middle) < mean_length {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_linalg::random::Stream;

    fn random(rows: usize, cols: usize, seed: u64) -> Tall<f64> {
        let mut stream = Stream::new(seed);
        let values: Vec<f64> = (0..rows * cols).map(|_| 2.0 * stream.unit() - 1.0).collect();
        Tall::from_rows(rows, cols, |row, out| {
            out.copy_from_slice(&values[row * cols..(row + 1) * cols]);
        })
    }

    #[test]
    fn rows_that_follow_from_the_inputs_are_found_again() {
        let inputs = random(400, 3, 1);
        let truth = |input: &[f64]| [2.0 * input[0] - input[2] + 0.5, input[1]];
        let rows = Tall::from_rows(400, 2, |row, out: &mut [f64]| {
            out.copy_from_slice(&truth(inputs.row(row)));
        });
        let found = RowRegression::new(inputs.clone(), rows.clone(), &[1.0, 4.0]);
        for node in 0..400 {
            for column in 0..2 {
                let terms = (0..3).map(|f| inputs.row(node)[f] * found.weights[(f, column)]);
                let value = found.intercept[column] + terms.sum::<f64>();
                // The ridge takes off a thousandth.
                assert!((value - rows.row(node)[column]).abs() < 5e-3, "{node} {column}: {value}");
            }
        }
    }

    #[test]
    fn rows_have_the_mean_length_of_fitted_ones_however_little_is_known() {
        let (inputs, noise) = (random(2000, 4, 2), random(2000, 4, 3));
        let rows = Tall::from_rows(2000, 4, |row, out: &mut [f64]| {
            let (input, noise) = (inputs.row(row), noise.row(row));
            out.iter_mut().zip(input).zip(noise).for_each(|((out, a), b)| *out = 0.3 * a + b + 0.2);
        });
        let factors = [1.0, 1.0, 2.0, 0.5];
        let mean = |tall: &Tall<f64>| {
            (0..2000).map(|row| length(tall.row(row), &factors)).sum::<f64>() / 2000.0
        };
        let found = RowRegression::new(inputs.clone(), rows.clone(), &factors);
        let mut new = times_small(&inputs, found.weights.as_ref());
        new.par_update_rows(|_, row| {
            row.iter_mut().zip(&found.intercept).for_each(|(value, add)| *value += add);
        });
        let ratio = mean(&new) / mean(&rows);
        assert!((ratio - 1.0).abs() < 1e-6, "{ratio}");
    }
}
