//! From views to factors: basis, core tensor, pencil, alternating least squares.
//!
//! The model of view `k` with centred Gram matrix `X_k` is `X_k ~ U diag(c_k) U^T` on its observed nodes (centred over
//! them), `c_k >= 0`, and the loss is `sum_k w_k^2 ||X_k - U diag(c_k) U^T||_F^2`. Each stage takes the value before it
//! and returns a new value with an info record; none opens a file, prints, or changes anything upstream.

mod als;
mod basis;
mod core_tensor;
mod dimension;
mod forecast;
mod line_search;
mod nnls;
mod observe;
mod pencil;
mod problem;
mod refine;
mod rehearsal;
mod rows;
mod sample;
mod start;
mod state;

pub use als::CoreAlsInfo;
pub use basis::{BasisInfo, BasisParams};
pub use dimension::DimensionInfo;
pub use observe::{NoObserver, Observer, Progress, Stage, StopReason};
pub use pencil::PencilInfo;
pub use refine::{RefineInfo, RefineParams};
pub use state::{FitSnapshot, FitState, StateKeeper};

pub(crate) use basis::{BasisSoFar, BasisTask, basis};
pub(crate) use observe::Context;
pub(crate) use problem::Problem;
pub(crate) use refine::{FullFactors, RefineSoFar, RefineTask, energies_of, refine, view_terms};
pub(crate) use rehearsal::{eigen_seconds, median_seconds, small_work};
pub(crate) use sample::{distance_sums, sample_nodes, sampled_gram, sampled_rows};
pub(crate) use start::{Quality, StartInfo, quality, row_prior, start};
pub(crate) use state::{Draft, Keeping, Point, Restored, Round, StateHeader};
