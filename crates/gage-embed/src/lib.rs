#![doc = include_str!("../README.md")]

pub use gage_core::{graph, model, preset_selection, views};
pub use gage_eval as eval;
pub use gage_io as io;
pub use gage_search as search;

pub use gage_core::{
    Artifact, Block, CertificateParams, CheckedParams, Columns, Dimension, Error, FitParams,
    FitRequest, Graph, Hint, Labels, Lambda, Matrix, Model, NoObserver, Nodes, Observer, Only,
    Plan, Preset, Progress, check_threads, fit, fit_with, plan,
};
pub use linalg::{AnyTall, DenseMatrix, Precision, SparseMatrix, Tall};

/// Matrices: what a program needs to build them and to read results.
pub mod linalg {
    pub use gage_linalg::workers::ThreadReducer;
    pub use gage_linalg::{
        AnyTall, AnyTallRef, Buffer, DenseMatrix, DenseValues, LocalReducer, Precision, Real,
        Reducer, SparseError, SparseMatrix, Tall, Values, Workspace,
    };

    /// Running out of memory as a value.
    pub mod memory {
        pub use gage_linalg::memory::{OutOfMemory, catch};
    }
}

/// Stages of a fit, checkpoints, and estimates of its time.
pub mod solver {
    pub use gage_core::fingerprint::fingerprint;
    pub use gage_core::solver::*;
    pub use gage_core::{FitWork, Prepared, TimeEstimate, prepare, timed_plan};
}
