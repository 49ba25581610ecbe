//! Parameters of the refinement at full size.

use serde::{Deserialize, Serialize};

/// When the refinement at full size stops.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RefineParams {
    /// At most this many sweeps of two passes each.
    pub max_sweeps: usize,
    /// Stop when a sweep lowers the loss by less than this share of it.
    pub tolerance: f64,
}

impl Default for RefineParams {
    fn default() -> Self {
        RefineParams { max_sweeps: 20, tolerance: 1e-4 }
    }
}
