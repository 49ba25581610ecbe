//! What a fit costs: memory, passes, work and time.
//!
//! Every stage states its [`Cost`] beside itself, and `fit.rs` puts them together as it calls the
//! stages. A plan and an estimate of the time are read off that.

mod plan;
mod problem_size;
mod stage_cost;
mod time_estimate;

pub use plan::Plan;
pub use time_estimate::TimeEstimate;

pub(crate) use problem_size::ProblemSize;
pub(crate) use stage_cost::Cost;
