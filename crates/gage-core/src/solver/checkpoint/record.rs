//! The state of a fit as plain values, enough to resume with the same bits.
//!
//! Everything else (norms, projections, core tensor) is recomputed as a deterministic function of
//! the checkpoint. Blocks are borrowed, so that offering a checkpoint costs no memory.

use serde::{Deserialize, Serialize};

use crate::progress::Stage;
use crate::solver::factors::FullFactors;
use crate::solver::info::{InitialInfo, RefineInfo};
use gage_linalg::{AnyTallRef, Real};

/// State of the iteration of the basis, without its block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BasisCheckpoint {
    pub(in crate::solver) iterations: usize,
    pub(in crate::solver) captured_energy: Vec<f64>,
    /// Columns the model will have, as far as is known.
    pub(in crate::solver) columns: usize,
    /// Share of the energy that this many columns captured last.
    pub(in crate::solver) captured: f64,
}

/// State of the refinement, without its blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RefineCheckpoint {
    /// Losses of the views and spread of the columns before the first sweep: the prior of rows
    /// that lack views is made of them.
    pub(in crate::solver) losses: Vec<f64>,
    pub(in crate::solver) spread: Vec<f64>,
    pub(in crate::solver) loss: f64,
    pub(in crate::solver) history: Vec<f64>,
    pub(in crate::solver) passes: usize,
    /// Product of the last gradient and its step, if there was a sweep before.
    pub(in crate::solver) new_by_new: Option<f64>,
}

/// How far a fit has come, without its blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StageCheckpoint {
    /// An iteration of the basis begins.
    Basis(BasisCheckpoint),
    /// A sweep of the refinement begins.
    Refine { initial: InitialInfo, sweeps: RefineCheckpoint },
    /// The factors are found, and refined if that was requested.
    Factors { initial: InitialInfo, refine: Option<RefineInfo> },
}

impl StageCheckpoint {
    pub(in crate::solver) fn stage(&self) -> Stage {
        match self {
            StageCheckpoint::Basis(_) => Stage::Basis,
            StageCheckpoint::Refine { .. } => Stage::Refine,
            StageCheckpoint::Factors { .. } => Stage::Factors,
        }
    }

    /// Passes over a problem of fewer nodes, which came before.
    fn inner_passes(&self) -> usize {
        match self {
            StageCheckpoint::Basis(_) => 0,
            StageCheckpoint::Refine { initial, .. } | StageCheckpoint::Factors { initial, .. } => {
                initial.inner_passes
            }
        }
    }
}

/// A round of estimating single missing entries, and the estimates it works with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ImputationRound {
    pub(crate) number: usize,
    /// How much the estimates changed before this round.
    pub(crate) change: Option<f64>,
    /// Estimated entries, per block.
    pub(crate) estimates: Vec<Vec<f64>>,
}

/// Everything in a checkpoint but the blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CheckpointHeader {
    pub(crate) fingerprint: String,
    pub(crate) round: usize,
    pub(crate) change: Option<f64>,
    /// Passes over every view.
    pub(crate) passes: Vec<usize>,
    pub(crate) stage: StageCheckpoint,
}

impl CheckpointHeader {
    pub(in crate::solver) fn passes(&self) -> usize {
        self.stage.inner_passes() + self.passes.iter().copied().max().unwrap_or(0)
    }
}

/// A checkpoint of a running fit, to be saved. See [`CheckpointStore`].
#[derive(Debug)]
pub struct FitCheckpointRef<'a> {
    pub(crate) header: CheckpointHeader,
    pub(crate) tall: Vec<(String, AnyTallRef<'a>)>,
    pub(crate) small: Vec<(String, Vec<f64>)>,
}

impl FitCheckpointRef<'_> {
    /// The stage that would be next.
    pub fn stage(&self) -> Stage {
        self.header.stage.stage()
    }

    /// Passes over each view so far.
    pub fn passes(&self) -> usize {
        self.header.passes()
    }
}

/// Saves checkpoints of a fit. Called between passes over the data.
pub trait CheckpointStore: Sync {
    /// Whether a checkpoint offered now would be saved.
    fn due(&self) -> bool {
        true
    }
    /// Saves a checkpoint; the one before it is no longer needed. Also called, due or not, when
    /// the observer stops the fit.
    fn save(&self, checkpoint: &FitCheckpointRef<'_>);
}

/// A checkpoint as a stage knows it; what belongs to the whole fit is added by the
/// [`Checkpointer`](super::checkpointer::Checkpointer).
pub(crate) struct CheckpointParts<'a> {
    pub(crate) passes: Vec<usize>,
    pub(crate) stage: StageCheckpoint,
    pub(crate) tall: Vec<(String, AnyTallRef<'a>)>,
    pub(crate) small: Vec<(String, Vec<f64>)>,
}

impl<'a> CheckpointParts<'a> {
    /// A checkpoint with factors.
    pub(crate) fn of_factors<T: Real>(
        passes: Vec<usize>,
        stage: StageCheckpoint,
        factors: &'a FullFactors<T>,
    ) -> CheckpointParts<'a> {
        let mut tall = vec![("u".to_owned(), AnyTallRef::from(&factors.u))];
        let mut small = Vec::new();
        for (k, (c, energy)) in factors.c.iter().zip(&factors.energies).enumerate() {
            small.push((format!("c{k}"), c.clone()));
            small.push((format!("factor_energy{k}"), energy.clone()));
        }
        for (k, projection) in factors.projections.iter().enumerate() {
            tall.push((format!("projection{k}"), AnyTallRef::from(projection)));
        }
        CheckpointParts { passes, stage, tall, small }
    }
}
