//! Smoothing as presets do it.

use crate::graph::LINKS;
use crate::views::{Direction, Propagate, Steps, Transform};

/// Smoothing over the main links with self-loops.
pub(super) fn smoothing(steps: Steps) -> Propagate {
    Propagate {
        block: LINKS.to_owned(),
        transform: Transform::Symmetric { self_loops: 1.0 },
        direction: Direction::Out,
        steps,
    }
}
