//! From views to factors: basis, core tensor, pencil, alternating least squares.
//!
//! The model of view `k` with centred Gram matrix `X_k` is `X_k ~ U diag(c_k) U^T` on its observed nodes (centred over
//! them), `c_k >= 0`, and the loss is `sum_k w_k^2 ||X_k - U diag(c_k) U^T||_F^2`. Each stage takes the value before it
//! and returns a new value with an info record; none opens a file, prints, or changes anything upstream.

mod als;
mod basis;
mod calibration;
mod checkpoint;
mod context;
mod core_tensor;
mod dimension;
mod factors;
mod incomplete_rows;
mod info;
mod line_search;
mod nnls;
mod pencil;
mod problem;
mod refine;
mod rows;
mod sample;

pub use crate::params::{BasisParams, RefineParams};
pub use crate::progress::{NoObserver, Observer, Progress, Stage, StopReason};
pub use als::CoreAlsInfo;
pub use checkpoint::{FitSnapshot, FitState, StateKeeper};
pub use info::{BasisInfo, DimensionInfo, RefineInfo};
pub use pencil::PencilInfo;

pub(crate) use basis::{BasisSoFar, BasisTask, basis};
pub(crate) use calibration::{eigen_seconds, median_seconds, small_work};
pub(crate) use checkpoint::{Draft, Keeping, Point, Restored, Round, StateHeader};
pub(crate) use context::Context;
pub(crate) use factors::FullFactors;
pub(crate) use incomplete_rows::{Quality, quality, row_prior, start};
pub(crate) use info::StartInfo;
pub(crate) use problem::Problem;
pub(crate) use refine::{RefineSoFar, RefineTask, energies_of, refine, view_terms};
pub(crate) use sample::{distance_sums, sample_nodes, sampled_gram, sampled_rows};
