//! Adam (Kingma and Ba, ICLR 2015).

use gage_linalg::Tall;
use rayon::prelude::*;

use super::scalar::Scalar;

/// Decay of the mean of gradients, decay of the mean of their squares, and what keeps the quotient
/// finite.
const DECAY: (f64, f64, f64) = (0.9, 0.999, 1e-8);

/// Means of gradients and of their squares, for all parameters of a network.
pub(super) struct Adam<T> {
    rate: f64,
    steps: i32,
    means: Vec<(Tall<T>, Tall<T>)>,
}

impl<T: Scalar> Adam<T> {
    pub(super) fn new(rate: f64) -> Adam<T> {
        Adam { rate, steps: 0, means: Vec::new() }
    }

    pub(super) fn set_rate(&mut self, rate: f64) {
        self.rate = rate;
    }

    /// One step downhill: `w -= rate * m / (sqrt(v) + eps)`, with means corrected for their start
    /// at zero.
    pub(super) fn step(&mut self, parameters: &mut [&mut Tall<T>], gradients: &[Tall<T>]) {
        debug_assert_eq!(parameters.len(), gradients.len());
        if self.means.is_empty() {
            let zeros = |g: &Tall<T>| Tall::zeros(g.rows(), g.cols());
            self.means = gradients.iter().map(|g| (zeros(g), zeros(g))).collect();
        }
        self.steps += 1;
        let (first, second, epsilon) = DECAY;
        let rate =
            self.rate * (1.0 - second.powi(self.steps)).sqrt() / (1.0 - first.powi(self.steps));
        let all = parameters.iter_mut().zip(gradients).zip(&mut self.means);
        for ((parameter, gradient), (mean, square)) in all {
            let values = parameter.data_mut().par_iter_mut().zip(gradient.data());
            let means = mean.data_mut().par_iter_mut().zip(square.data_mut());
            values.zip(means).with_min_len(1 << 14).for_each(|((w, g), (m, v))| {
                let g = g.to_f64();
                let new_mean = first * m.to_f64() + (1.0 - first) * g;
                let new_square = second * v.to_f64() + (1.0 - second) * g * g;
                *m = T::from_f64(new_mean);
                *v = T::from_f64(new_square);
                *w = T::from_f64(w.to_f64() - rate * new_mean / (new_square.sqrt() + epsilon));
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_has_the_length_of_the_rate_and_a_bowl_is_left_at_its_bottom() {
        let mut w = Tall::<f64>::from_rows(1, 2, |_, out| out.copy_from_slice(&[3.0, -2.0]));
        let gradient = |w: &Tall<f64>| {
            Tall::from_rows(1, 2, |_, out: &mut [f64]| {
                out.copy_from_slice(&[2.0 * w.data()[0], 8.0 * (w.data()[1] - 1.0)]);
            })
        };
        let mut adam = Adam::new(0.1);
        let first = gradient(&w);
        adam.step(&mut [&mut w], &[first]);
        assert!((w.data()[0] - 2.9).abs() < 1e-6 && (w.data()[1] + 1.9).abs() < 1e-6);
        for _ in 0..2000 {
            let g = gradient(&w);
            adam.step(&mut [&mut w], &[g]);
        }
        assert!(w.data()[0].abs() < 1e-3 && (w.data()[1] - 1.0).abs() < 1e-3, "{:?}", w.data());
    }
}
