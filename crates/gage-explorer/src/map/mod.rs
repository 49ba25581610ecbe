//! The map: frames of positions, and the worker that makes them.

mod frame;
mod progress;
mod worker;

pub(crate) use progress::Progress;
pub(crate) use worker::{MapWorker, Start};
