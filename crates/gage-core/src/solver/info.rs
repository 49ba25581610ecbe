//! Info records of the stages.

use serde::{Deserialize, Serialize};

use crate::progress::StopReason;

use super::als::CoreAlsInfo;
use super::pencil::PencilInfo;

/// What finding the basis took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BasisInfo {
    /// Columns of the basis in the end.
    pub width: usize,
    /// Iterations done.
    pub iterations: usize,
    /// Passes over each view.
    pub passes: usize,
    /// Share of the energy `sum_k w_k^2 ||X_k||^2` captured by as many leading directions as the
    /// model has columns, after every iteration.
    pub captured_energy: Vec<f64>,
    /// Why the iteration stopped.
    pub stop: StopReason,
}

/// How the number of columns came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DimensionInfo {
    /// Columns of the model.
    pub columns: usize,
    /// The energy share or distance error it reaches, when it was chosen by one.
    pub reached: Option<f64>,
    /// Whether the goal was met within the largest number of columns allowed.
    pub goal_met: bool,
}

/// What the refinement did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefineInfo {
    /// Sweeps done.
    pub sweeps: usize,
    /// Passes over each view.
    pub passes: usize,
    /// Relative loss before the first and after every sweep; never rises.
    pub loss_history: Vec<f64>,
    /// Why it stopped.
    pub stop: StopReason,
}

/// What the stages up to the initial factors did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct InitialInfo {
    pub(crate) basis: BasisInfo,
    pub(crate) dimension: DimensionInfo,
    pub(crate) pencil: PencilInfo,
    pub(crate) core_als: CoreAlsInfo,
    /// Nodes the model was found on, when not all.
    pub(crate) complete_nodes: Option<usize>,
    /// Passes spent on a problem restricted to the complete nodes.
    pub(crate) inner_passes: usize,
}
