//! Progress, cancellation, and the reasons for which iterations stop.

use serde::{Deserialize, Serialize};

/// A part of a fit, for progress reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// Choice and construction of the views.
    Views,
    /// Norms of the views.
    Norms,
    /// Iterations that find the common basis.
    Basis,
    /// Factors of the core tensor.
    Factors,
    /// Rows of nodes that lack a view.
    MissingRows,
    /// Refinement at full size.
    Refine,
    /// Loadings for new nodes.
    Loadings,
    /// Certificate.
    Certificate,
    /// Rows of new nodes.
    NewNodes,
    /// The embedding, made from a model.
    Embedding,
    /// Steps of a method other than the library's own.
    OtherMethod,
}

/// One report of progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Passes over every view done so far in this fit.
    pub passes: usize,
    /// Passes the whole fit is expected to take at most.
    pub planned_passes: usize,
    /// Relative loss, where it is known.
    pub relative_loss: Option<f64>,
}

/// Receives progress, and may stop the fit. Called between passes over the data.
pub trait Observer: Sync {
    /// Told after every pass and iteration.
    fn progress(&self, progress: &Progress) {
        let _ = progress;
    }
    /// When this becomes true the fit returns [`Error::Cancelled`](crate::Error::Cancelled) before
    /// its next pass.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

/// Why an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The improvement fell below the tolerance.
    Converged,
    /// The limit of iterations was reached; the result is valid but might still improve.
    IterationLimit,
    /// The result is exact (direct solution), no iteration was needed.
    Direct,
    /// No descent was possible any more at working precision.
    NoProgress,
}
