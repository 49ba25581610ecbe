//! What is being prepared, for the page to say.

use serde::Serialize;

/// How far the candidates of the map are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Progress {
    /// Anchors whose neighbours are known.
    pub(crate) anchors_done: usize,
    /// All anchors.
    pub(crate) anchors: usize,
    /// Whether they were read from the file beside the model.
    pub(crate) cached: bool,
}
