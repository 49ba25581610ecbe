#![doc = include_str!("../README.md")]

pub mod certificate;
pub mod embedding;
mod error;
pub mod eval;
mod fit;
pub mod graph;
mod impute;
pub mod io;
pub mod linalg;
mod params;
mod plan;
pub mod solver;
pub mod views;

pub use certificate::{Certificate, CertificateParams, certify};
pub use embedding::{FitInfo, FittedView, FoldedIn, Lambda, Model, NewBlock, NewNodes};
pub use error::Error;
pub use fit::{fit, fit_rows, fit_with};
pub use graph::{
    Block, BlockKind, Graph, GraphError, Labels, Mask, Matrix, Nodes, NodesError, TableEncoding,
};
pub use linalg::{
    Buffer, DenseMatrix, DenseValues, LocalReducer, Numbers, Precision, Real, Reducer, SparseError,
    SparseMatrix, Tall, Values,
};
pub use params::{CheckedParams, Dimension, FitParams};
pub use plan::{Plan, plan};
pub use solver::{NoObserver, Observer, Progress, RefineParams, Stage, StopReason};
pub use views::{
    Directed, Direction, EmbeddingScale, Preset, Propagate, Source, Steps, Transform, View,
    ViewError, ViewSpec, Views,
};
