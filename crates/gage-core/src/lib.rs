//! The GAGE model and its solver: graphs, views, basis, core tensor, factors, embeddings.

pub mod artifact;
mod cost;
mod error;
pub mod fingerprint;
mod fit;
pub mod graph;
mod hint;
pub mod holdout;
mod impute;
pub mod model;
pub mod params;
mod prepare;
pub mod preset_selection;
mod progress;
pub mod solver;
mod threads;
pub mod views;

pub use cost::{Plan, TimeEstimate};
pub use error::Error;
pub use fit::{FitWork, Prepared};
pub use graph::{Block, Graph, Labels, Matrix, Nodes};
pub use hint::{Artifact, Hint};
pub use model::{Lambda, Model};
pub use params::{
    CertificateParams, CheckedParams, Columns, Dimension, FitParams, FitRequest, Only,
};
pub use prepare::{fit, fit_with, plan, prepare, timed_plan};
pub use progress::{NoObserver, Observer, Progress};
pub use threads::check_threads;
pub use views::Preset;
