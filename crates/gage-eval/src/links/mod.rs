//! Link prediction over random removals.

mod experiment;

pub(crate) use experiment::score_all;
pub use experiment::{LinkExperiment, LinkExperimentReport, LinkScoreReport, link_experiment};
