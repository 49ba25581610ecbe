#![doc = include_str!("../README.md")]

pub use gage_core::{graph, model, preset_selection, solver, views};
pub use gage_eval as eval;
pub use gage_io as io;
pub use gage_linalg as linalg;
pub use gage_search as search;

pub use gage_core::{
    Artifact, Block, BlockKind, Certificate, CertificateParams, CheckedParams, Dimension,
    DirectedViews, Direction, EmbeddingScale, Error, FitContext, FitInfo, FitParams, FitSnapshot,
    FitState, FitWork, FittedView, FoldedIn, Graph, GraphError, Hint, Labels, Lambda, Mask, Matrix,
    Model, NewBlock, NewNodes, NoObserver, Nodes, NodesError, Observer, Plan, Preset, Progress,
    Propagate, RefineParams, SelectionRule, Source, Stage, StateKeeper, Steps, StopReason,
    TableEncoding, TimeEstimate, Transform, View, ViewError, ViewSpec, Views, certify, fit, fit_in,
    fit_with, plan, timed_plan,
};
pub use gage_linalg::{
    AnyTall, AnyTallRef, Buffer, DenseMatrix, DenseValues, LocalReducer, Precision, Real, Reducer,
    SparseError, SparseMatrix, Tall, Values, Workspace,
};
