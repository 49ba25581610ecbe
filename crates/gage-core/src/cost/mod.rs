//! The cost of a fit: memory, passes, flops and time.
//!
//! Every stage states its [`Cost`] in its own file, and `fit.rs` composes them in the order of the
//! stages. The plan and the time estimate follow from the sum.

mod plan;
mod problem_size;
mod stage_cost;
mod time_estimate;

pub use plan::Plan;
pub use time_estimate::TimeEstimate;

pub(crate) use problem_size::ProblemSize;
pub(crate) use stage_cost::Cost;
