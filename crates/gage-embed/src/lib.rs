#![doc = include_str!("../README.md")]

pub mod certificate;
pub mod choose;
pub mod embedding;
mod error;
pub mod eval;
mod fingerprint;
mod fit;
pub mod graph;
mod impute;
pub mod io;
pub mod linalg;
mod params;
mod plan;
pub mod search;
pub mod solver;
mod timing;
pub mod views;

pub use certificate::{Certificate, CertificateParams, certify};
pub use embedding::{FitInfo, FittedView, FoldedIn, Lambda, Model, NewBlock, NewNodes};
pub use error::Error;
pub use fit::{FitWork, fit, fit_resumable, fit_rows, fit_with};
pub use graph::{
    Block, BlockKind, Graph, GraphError, Labels, Mask, Matrix, Nodes, NodesError, TableEncoding,
};
pub use linalg::{
    Buffer, DenseMatrix, DenseValues, LocalReducer, Numbers, NumbersRef, Precision, Real, Reducer,
    SparseError, SparseMatrix, Tall, Values,
};
pub use params::{CheckedParams, Dimension, FitParams};
pub use plan::{Plan, plan};
pub use solver::{
    FitSnapshot, FitState, NoObserver, Observer, Progress, RefineParams, Stage, StateKeeper,
    StopReason,
};
pub use timing::{TimeEstimate, timed_plan};
pub use views::{
    Choose, Directed, Direction, EmbeddingScale, Preset, Propagate, Source, Steps, Transform, View,
    ViewError, ViewSpec, Views,
};
