//! What the thread of the map and those who ask for frames have in common.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::frame::Moment;
use crate::pool::Pool;

/// Positions to be shown.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) number: u64,
    pub(super) moment: Moment,
    pub(super) bytes: Arc<Vec<u8>>,
}

pub(super) struct State {
    pub(super) shares: Vec<f64>,
    /// Grows with every change of the shares.
    pub(super) ticket: u32,
    pub(super) pool: Option<Arc<Pool>>,
    /// Grows with every change of the pool.
    pub(super) pool_number: u32,
    /// Whether the pool has the candidates of all anchors.
    pub(super) whole: bool,
    pub(super) frame: Frame,
    /// Layouts at the first anchors, for maps that are mixed.
    pub(super) anchored: Vec<Arc<Vec<u8>>>,
    pub(super) stopped: bool,
}

pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    pub(super) changed: Condvar,
}

impl Shared {
    /// A panic of another thread does not make plain data wrong.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes all who wait for it.
    pub(super) fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}
