//! Where a fit stands: kept in records, and made ready for the solver again.

mod record;
mod restore;

pub use record::{FitSnapshot, StateKeeper};
pub use restore::FitState;

pub(crate) use record::{BasisPoint, Draft, Keeping, Point, RefinePoint, Round, StateHeader};
pub(crate) use restore::Restored;
