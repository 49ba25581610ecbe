//! The map: frames of positions, and the worker that makes them.

mod anchored;
mod frame;
mod mover;
mod progress;
mod shared;
mod streams;
mod worker;

pub(crate) use anchored::{NEIGHBOURS, anchored_layout, layout_anchors, resting_frame};
pub(crate) use mover::Start;
pub(crate) use progress::Progress;
pub(crate) use worker::{MapParams, MapWorker};
