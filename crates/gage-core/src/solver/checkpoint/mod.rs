//! Checkpoints: a stopped fit resumes, and its result has the same bits.
//!
//! A fit offers one before every iteration of the basis, before every sweep of the refinement, and
//! when the factors are found. [`Checkpointer`] wraps iterations and [`Stages`] wraps whole stages,
//! so that neither knows whether anything is saved.

mod checkpointer;
mod record;
mod restore;
mod stages;

pub use record::{CheckpointStore, FitCheckpointRef};
pub use restore::FitCheckpoint;

pub(crate) use checkpointer::{Checkpointer, Iteration};
pub(crate) use record::{
    BasisCheckpoint, CheckpointHeader, CheckpointParts, ImputationRound, RefineCheckpoint,
    StageCheckpoint,
};
pub(crate) use stages::Stages;
