//! Frames as they are made, for one request each.

use std::sync::Arc;

use super::shared::{Frame, Shared};

/// The frames of a moving map.
pub(super) struct Frames {
    shared: Arc<Shared>,
    ticket: u32,
    sent: u64,
    finished: bool,
}

impl Frames {
    pub(super) fn new(shared: Arc<Shared>, ticket: u32) -> Frames {
        Frames { shared, ticket, sent: 0, finished: false }
    }
}

impl Iterator for Frames {
    type Item = Arc<Vec<u8>>;

    fn next(&mut self) -> Option<Arc<Vec<u8>>> {
        if self.finished {
            return None;
        }
        let mut state = self.shared.lock();
        loop {
            if state.stopped || state.ticket != self.ticket {
                return None;
            }
            let Frame { number, moment, bytes } = &state.frame;
            // The positions of the shares before are shown at once, but are not the answer.
            let answers = moment.ticket == self.ticket && !moment.moving;
            if *number > self.sent {
                self.sent = *number;
                self.finished = answers;
                return Some(Arc::clone(bytes));
            }
            if answers {
                return None;
            }
            state = self.shared.wait(state);
        }
    }
}

/// The layouts at the anchors, in their order.
pub(super) struct AnchorFrames {
    shared: Arc<Shared>,
    count: usize,
    sent: usize,
}

impl AnchorFrames {
    pub(super) fn new(shared: Arc<Shared>, count: usize) -> AnchorFrames {
        AnchorFrames { shared, count, sent: 0 }
    }
}

impl Iterator for AnchorFrames {
    type Item = Arc<Vec<u8>>;

    fn next(&mut self) -> Option<Arc<Vec<u8>>> {
        if self.sent == self.count {
            return None;
        }
        let mut state = self.shared.lock();
        loop {
            if state.stopped {
                return None;
            }
            if let Some(frame) = state.anchored.get(self.sent) {
                self.sent += 1;
                return Some(Arc::clone(frame));
            }
            state = self.shared.wait(state);
        }
    }
}
