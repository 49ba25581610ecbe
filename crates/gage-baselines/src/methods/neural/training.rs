//! The loop over epochs that full-batch networks share.

use gage_linalg::Tall;

use super::adam::Adam;
use super::scalar::Scalar;
use crate::Error;
use crate::task::Task;

/// A network whose loss is computed over all nodes at once.
pub(super) trait Network<T: Scalar> {
    /// All parameters, always in the same order.
    fn parameters(&mut self) -> Vec<&mut Tall<T>>;

    /// The loss of an epoch and its gradient in the order of the parameters.
    fn loss_and_gradient(&self, epoch: usize) -> (f64, Vec<Tall<T>>);
}

/// How long to train.
pub(super) struct Schedule {
    pub(super) rate: f64,
    pub(super) epochs: usize,
    /// Epochs without a new lowest loss after which training ends, with the weights of the lowest.
    pub(super) patience: Option<usize>,
}

/// A parameter that counts something must not be zero.
pub(super) fn at_least_one(name: &'static str, value: usize) -> Result<(), Error> {
    match value {
        0 => Err(Error::Parameter { name, value: "0".to_owned(), bound: "at least 1" }),
        _ => Ok(()),
    }
}

/// A parameter that is a share of something must leave some of it.
pub(super) fn share_below_one(name: &'static str, value: f64) -> Result<(), Error> {
    if (0.0..1.0).contains(&value) {
        return Ok(());
    }
    let bound = "at least 0 and below 1";
    Err(Error::Parameter { name, value: value.to_string(), bound })
}

/// Trains a network; returns the loss of every epoch.
pub(super) fn train<T: Scalar>(
    network: &mut impl Network<T>,
    schedule: &Schedule,
    task: &Task<'_>,
) -> Result<Vec<f64>, Error> {
    task.plan(schedule.epochs);
    let mut adam = Adam::new(schedule.rate);
    let mut history = Vec::new();
    let mut best: Option<(f64, usize, Vec<Tall<T>>)> = None;
    for epoch in 0..schedule.epochs {
        let (loss, gradient) = network.loss_and_gradient(epoch);
        if !loss.is_finite() {
            return Err(Error::NotFinite { method: task.method });
        }
        history.push(loss);
        task.step_with_loss(loss)?;
        if let Some(patience) = schedule.patience {
            let since = best.as_ref().map_or(0, |(_, at, _)| epoch - at);
            if best.as_ref().is_none_or(|(lowest, ..)| loss < *lowest) {
                let weights = network.parameters().into_iter().map(|w| w.clone()).collect();
                best = Some((loss, epoch, weights));
            } else if since >= patience {
                break;
            }
        }
        adam.step(&mut network.parameters(), &gradient);
    }
    if let Some((_, _, weights)) = best {
        network.parameters().into_iter().zip(weights).for_each(|(now, best)| *now = best);
    }
    Ok(history)
}
