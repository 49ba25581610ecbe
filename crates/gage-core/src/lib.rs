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
pub mod views;

pub use cost::{Plan, TimeEstimate, plan, timed_plan};
pub use error::Error;
pub use fit::FitWork;
pub use graph::{
    Block, BlockKind, Graph, GraphError, Labels, Mask, Matrix, Nodes, NodesError, TableEncoding,
};
pub use hint::{Artifact, Hint};
pub use model::certificate::{Certificate, certify};
pub use model::{FitInfo, FittedView, FoldedIn, Lambda, Model, NewBlock, NewNodes};
pub use params::{CertificateParams, CheckedParams, Dimension, FitParams, RefineParams};
pub use prepare::{FitContext, fit, fit_in, fit_with};
pub use progress::{NoObserver, Observer, Progress, Stage, StopReason};
pub use solver::{FitSnapshot, FitState, StateKeeper};
pub use views::{
    DirectedViews, Direction, EmbeddingScale, Preset, Propagate, SelectionRule, Source, Steps,
    Transform, View, ViewError, ViewSpec, Views,
};
