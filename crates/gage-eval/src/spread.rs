//! Mean and standard deviation of repeated measurements.

use serde::{Deserialize, Serialize};

/// Mean and standard deviation over shuffles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation (over `shuffles - 1`), 0 for a single shuffle.
    pub deviation: f64,
}

impl Spread {
    /// Summarises numbers; of none, mean and deviation are 0.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Spread {
        let count = values.clone().count().max(1) as f64;
        let mean = values.clone().sum::<f64>() / count;
        let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
        Spread { mean, deviation: (squares / (count - 1.0).max(1.0)).sqrt() }
    }
}
