//! Greedy pre-training of deep attributed network embedding: each layer with its counterpart as a
//! denoising autoencoder.

use gage_linalg::Tall;
use gage_linalg::random::{Stream, mix};

use super::adam::Adam;
use super::dane_layers::{Layer, squared_error};
use super::layers::combine;
use super::scalar::Scalar;
use crate::Error;
use crate::task::Task;

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
        let key = mix(seed ^ step as u64);
        let (loss, gradients) = denoising_loss(pair, &rows(&batch), how.keep, key);
        if !loss.is_finite() {
            return Err(Error::NotFinite { method: task.method });
        }
        adam.step(&mut parameters(pair), &gradients);
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

/// Weights and biases of both layers.
pub(super) fn parameters<T: Scalar>(pair: &mut [Layer<T>; 2]) -> Vec<&mut Tall<T>> {
    pair.iter_mut().flat_map(Layer::parameters).collect()
}

/// The mean squared error with which a layer and its counterpart restore rows of which, as of what
/// lies between the layers, only a share is kept; and its gradient. The key decides what is kept.
pub(super) fn denoising_loss<T: Scalar>(
    pair: &[Layer<T>; 2],
    clean: &Tall<T>,
    keep: f64,
    key: u64,
) -> (f64, Vec<Tall<T>>) {
    let noisy = dropped(clean, keep, key);
    let hidden = pair[0].forward(&noisy);
    let kept = dropped(&hidden, keep, mix(key));
    let output = pair[1].forward(&kept);
    let (sum, of_sum) = squared_error(&output, clean);
    let inverse = 1.0 / clean.cols().max(1) as f64;
    let factor = T::from_f64(inverse);
    let inside = pair[1].inside(&output, &combine(&of_sum, &of_sum, |g, _| factor * g));
    // What was dropped passes no gradient on; what was kept was scaled by 1 / keep.
    let mask = dropped(&combine(&hidden, &hidden, |_, _| T::ONE), keep, mix(key));
    let of_hidden = combine(&pair[1].to_input(&inside), &mask, |g, m| g * m);
    let first = pair[0].own_gradients(&noisy, &pair[0].inside(&hidden, &of_hidden));
    let second = pair[1].own_gradients(&kept, &inside);
    (sum * inverse, first.into_iter().chain(second).collect())
}

/// Every number kept with a probability, and then divided by it; else zero.
pub(super) fn dropped<T: Scalar>(x: &Tall<T>, keep: f64, key: u64) -> Tall<T> {
    Tall::from_rows(x.rows(), x.cols(), |row, out: &mut [T]| {
        let mut random = Stream::new(key ^ mix(row as u64));
        let scale = T::from_f64(keep.recip());
        for (out, value) in out.iter_mut().zip(x.row(row)) {
            if random.unit() < keep {
                *out = scale * *value;
            }
        }
    })
}
