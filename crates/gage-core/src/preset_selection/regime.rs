//! How far smoothing reaches, and how it is done.

use crate::graph::LINKS;
use crate::views::{Direction, Propagate, Steps, Transform};

/// How far smoothing reaches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Regime {
    Deep,
    Middle,
    Noisy,
    Near,
}

/// Smoothing over the main links with self-loops.
pub(super) fn smoothing(steps: Steps) -> Propagate {
    Propagate {
        block: LINKS.to_owned(),
        transform: Transform::Symmetric { self_loops: 1.0 },
        direction: Direction::Out,
        steps,
    }
}
