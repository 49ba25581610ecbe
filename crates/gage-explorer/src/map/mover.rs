//! The thread that lays out the map: the newest shares win, older work is dropped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gage_plot::layout::{Movement, Point, usual_rounds};

use super::anchored::{NEIGHBOURS, anchored_layout, resting_frame};
use super::frame::{Moment, encode};
use super::shared::Shared;
use crate::pool::Pool;
use crate::threads::Threads;

/// Time between two frames; a frame is never less than one round.
const FRAME: Duration = Duration::from_millis(60);

/// Where the first layout starts.
pub(crate) struct Start {
    pub(crate) points: Vec<Point>,
    /// Whether these points are a layout already.
    pub(crate) at_rest: bool,
}

/// What to do with layouts that have come to rest, made with all candidates: that of the first
/// shares, and those of the other anchors if the map is mixed.
pub(crate) type OnRest = Box<dyn Fn(&Pool, &[Vec<Point>]) + Send>;

/// The thread's own part.
pub(super) struct Mover {
    pub(super) shared: Arc<Shared>,
    pub(super) start: Start,
    /// The shares whose layout is kept.
    pub(super) first: Vec<f64>,
    /// Where layouts are made of which the page mixes the map; none if the map moves by itself.
    pub(super) anchors: Vec<Vec<f64>>,
    pub(super) seed: u64,
    pub(super) threads: Threads,
    pub(super) on_rest: OnRest,
    pub(super) kept: bool,
    /// Whether the start is the layout that was kept, and nothing has moved yet.
    pub(super) untouched: bool,
    /// Layouts at the anchors so far, until they are handed out.
    pub(super) anchored: Vec<Vec<Point>>,
}

/// What is to be done next.
enum Task {
    Move(Target),
    Anchor(Arc<Pool>),
}

/// What a layout is made for.
struct Target {
    shares: Vec<f64>,
    pool: Arc<Pool>,
    ticket: u32,
    pool_number: u32,
    whole: bool,
}

impl Mover {
    pub(super) fn run(&mut self) {
        let threads = self.threads.clone();
        let mut done = None;
        while let Some(task) = self.next_task(done) {
            match task {
                Task::Move(target) => {
                    if threads.run(|| self.lay_out(&target)) {
                        done = Some((target.ticket, target.pool_number));
                    }
                }
                Task::Anchor(pool) => threads.run(|| self.lay_out_anchor(&pool)),
            }
        }
    }

    fn is_mixed(&self) -> bool {
        !self.anchors.is_empty()
    }

    /// Waits for something to do; nothing when the explorer ends.
    fn next_task(&self, done: Option<(u32, u32)>) -> Option<Task> {
        let mut state = self.shared.lock();
        loop {
            if state.stopped {
                return None;
            }
            if let Some(pool) = &state.pool {
                // A mixed map has one layout of its own, from the candidates at its shares.
                let settled = if self.is_mixed() {
                    done.is_some()
                } else {
                    done == Some((state.ticket, state.pool_number))
                };
                if !settled {
                    return Some(Task::Move(Target {
                        shares: state.shares.clone(),
                        pool: Arc::clone(pool),
                        ticket: state.ticket,
                        pool_number: state.pool_number,
                        whole: state.whole,
                    }));
                }
                if state.whole && state.anchored.len() < self.anchors.len() {
                    return Some(Task::Anchor(Arc::clone(pool)));
                }
            }
            state = self.shared.wait(state);
        }
    }

    /// Moves the map until it rests; false if something else is wanted before.
    fn lay_out(&mut self, target: &Target) -> bool {
        let nodes = self.start.points.len();
        let rest = self.untouched && target.shares == self.first;
        if nodes < 3 || rest {
            let moment = Moment { ticket: target.ticket, ..Moment::default() };
            self.publish(moment);
            return true;
        }
        self.untouched = false;
        let neighbours = target.pool.neighbours(&target.shares, NEIGHBOURS);
        let usual = usual_rounds(nodes);
        // Positions that are a layout already need its last third only.
        let begin = if self.start.at_rest { usual - usual / 3 } else { 0 };
        let first = std::mem::take(&mut self.start.points);
        let mut movement = Movement::new(&neighbours, first, usual, self.seed).from_round(begin);
        let mut clock = Instant::now();
        let mut moving = true;
        while moving && !self.is_outdated(target) {
            moving = movement.advance();
            if clock.elapsed() >= FRAME || !moving {
                let (round, rounds) = movement.progress();
                self.start.points = movement.points().to_vec();
                self.publish(Moment { ticket: target.ticket, round, rounds, moving });
                clock = Instant::now();
            }
        }
        self.start.points = movement.points().to_vec();
        // Half-way positions are a better start than none, but no layout.
        self.start.at_rest |= !moving;
        if !moving {
            self.keep(target);
        }
        !moving
    }

    fn is_outdated(&self, target: &Target) -> bool {
        let state = self.shared.lock();
        let other = state.ticket != target.ticket || state.pool_number != target.pool_number;
        state.stopped || (other && !self.is_mixed())
    }

    fn publish(&self, moment: Moment) {
        let bytes = Arc::new(encode(&self.start.points, moment));
        self.shared.change(|state| {
            state.frame.number += 1;
            state.frame.moment = moment;
            state.frame.bytes = bytes;
        });
    }

    /// Hands out the first layout that rests on all candidates, once.
    fn keep(&mut self, target: &Target) {
        let ready = target.shares == self.first && target.whole;
        if !self.kept && !self.is_mixed() && ready {
            self.kept = true;
            (self.on_rest)(&target.pool, std::slice::from_ref(&self.start.points));
        }
    }

    /// Makes the layout at the next anchor. The first is the map itself.
    fn lay_out_anchor(&mut self, pool: &Pool) {
        let at = self.anchored.len();
        let go_on = || !self.shared.lock().stopped;
        let points = match at {
            0 => Some(self.start.points.clone()),
            _ => anchored_layout(pool, &self.anchors[at], &self.start.points, self.seed, go_on),
        };
        let Some(points) = points else { return };
        let frame = Arc::new(resting_frame(&points));
        self.anchored.push(points);
        if self.anchored.len() == self.anchors.len() {
            let all = std::mem::take(&mut self.anchored);
            if !self.kept {
                self.kept = true;
                (self.on_rest)(pool, &all);
            }
        }
        self.shared.change(|state| state.anchored.push(frame));
    }
}
