//! From views to factors: basis, core tensor, pencil, alternating least squares.
//!
//! The model of view `k` with centred Gram matrix `X_k` is `X_k ~ U diag(c_k) U^T` on its observed
//! nodes (centred over them), `c_k >= 0`, and the loss is
//! `sum_k w_k^2 ||X_k - U diag(c_k) U^T||_F^2`. Each stage takes the value before it and returns a
//! new value with an info record; none opens a file, prints, or changes anything upstream.

mod als;
mod basis;
mod calibration;
mod checkpoint;
mod context;
mod core_tensor;
mod dimension;
mod expand;
mod factors;
mod gradient;
mod incomplete_rows;
mod info;
mod line_search;
mod nnls;
mod pencil;
mod problem;
mod quality;
mod quartic;
mod refine;
mod rows;
mod sample;
mod view_terms;

pub use crate::params::{BasisParams, RefineParams};
pub use crate::progress::{NoObserver, Observer, Progress, Stage, StopReason};
pub use als::CoreAlsInfo;
pub use checkpoint::{CheckpointStore, FitCheckpoint, FitCheckpointRef};
pub use context::FitContext;
pub use info::{BasisInfo, DimensionInfo, RefineInfo};
pub use pencil::PencilInfo;

pub(crate) use als::{CoreAlsParams, core_als};
pub(crate) use basis::{BasisState, BasisTask, basis_cost, find_basis};
pub(crate) use calibration::{SmallSizes, eigen_seconds, median_seconds, small_work};
pub(crate) use checkpoint::{CheckpointHeader, Checkpointer, ImputationRound, Stages};
pub(crate) use context::Context;
pub(crate) use dimension::choose_dimension;
pub(crate) use expand::{expand, expand_cost};
pub(crate) use factors::FullFactors;
pub(crate) use incomplete_rows::{on_complete_nodes, solve_incomplete_rows};
pub(crate) use info::InitialInfo;
pub(crate) use pencil::pencil;
pub(crate) use problem::Problem;
pub(crate) use quality::{Quality, quality};
pub(crate) use refine::{RefineTask, refine, refine_cost};
pub(crate) use sample::{distance_sums, sample_nodes, sampled_gram, sampled_rows};
pub(crate) use view_terms::{energies_of, view_terms};
