//! What a fit costs: memory, passes and time.

mod plan;
mod time_estimate;

pub use plan::{Plan, plan};
pub use time_estimate::{TimeEstimate, timed_plan};
