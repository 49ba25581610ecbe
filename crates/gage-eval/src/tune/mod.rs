//! Choices over the shares of the views: a sweep from one fit, and cross-validation.

mod cross_validation;
mod sweep;

pub use cross_validation::{Tried, TuneMeasure, TuneParams, TuneReport, Tuned, tune};
pub use sweep::{
    BestLambda, SweepReport, SweepSeries, SweepTask, even_lambdas, sweep, sweep_model,
};
