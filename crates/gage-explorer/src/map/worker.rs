//! One thread that lays out the map: the newest shares win, older work is dropped.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gage_plot::layout::{Movement, Point, usual_rounds};

use super::frame::{Moment, encode};
use crate::error::ExplorerError;
use crate::pool::Pool;

/// Neighbours a node is held to.
const NEIGHBOURS: usize = 15;
/// Time between two frames; a frame is never less than one round.
const FRAME: Duration = Duration::from_millis(60);

/// Where the first layout starts.
pub(crate) struct Start {
    pub(crate) points: Vec<Point>,
    /// Whether these points are a layout already.
    pub(crate) at_rest: bool,
}

/// Positions to be shown.
#[derive(Clone)]
struct Frame {
    number: u64,
    moment: Moment,
    bytes: Arc<Vec<u8>>,
}

struct State {
    shares: Vec<f64>,
    /// Grows with every change of the shares.
    ticket: u32,
    pool: Option<Arc<Pool>>,
    /// Grows with every change of the pool.
    pool_number: u32,
    frame: Frame,
    stopped: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    /// A panic of another thread does not make plain data wrong.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// The map and the thread that moves it.
pub(crate) struct MapWorker {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What to do with a layout of the first shares that has come to rest, made with all candidates.
pub(crate) type OnRest = Box<dyn Fn(&Pool, &[Point]) + Send>;

impl MapWorker {
    /// Starts with these shares. Nothing moves before there are candidates.
    pub(crate) fn start(
        shares: Vec<f64>,
        start: Start,
        seed: u64,
        on_rest: OnRest,
    ) -> Result<MapWorker, ExplorerError> {
        let moment = Moment { moving: !start.at_rest, ..Moment::default() };
        let frame = Frame { number: 1, moment, bytes: Arc::new(encode(&start.points, moment)) };
        let first = shares.clone();
        let state = State { shares, ticket: 0, pool: None, pool_number: 0, frame, stopped: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let (shared_too, untouched) = (Arc::clone(&shared), start.at_rest);
        let mut mover =
            Mover { shared: shared_too, start, first, seed, on_rest, kept: false, untouched };
        let thread = thread::Builder::new().name("map".to_owned()).spawn(move || mover.run());
        Ok(MapWorker { shared, thread: Mutex::new(Some(thread.map_err(ExplorerError::Thread)?)) })
    }

    /// Gives the map more candidates.
    pub(crate) fn set_pool(&self, pool: Arc<Pool>) {
        let mut state = self.shared.lock();
        state.pool = Some(pool);
        state.pool_number += 1;
        self.shared.changed.notify_all();
    }

    /// The candidates so far.
    pub(crate) fn pool(&self) -> Option<Arc<Pool>> {
        self.shared.lock().pool.clone()
    }

    /// Moves the map to these shares and gives its frames until it rests or other shares are
    /// wanted. A reader that is slow misses frames in between, never the last.
    pub(crate) fn frames(
        &self,
        shares: &[f64],
    ) -> impl Iterator<Item = Arc<Vec<u8>>> + Send + use<> {
        let mut state = self.shared.lock();
        if state.shares != shares {
            state.shares = shares.to_vec();
            state.ticket += 1;
            self.shared.changed.notify_all();
        }
        let ticket = state.ticket;
        drop(state);
        Frames { shared: Arc::clone(&self.shared), ticket, sent: 0, finished: false }
    }
}

impl MapWorker {
    /// Ends all streams and waits for the thread, which takes a round at most, or the writing of
    /// what is kept.
    pub(crate) fn stop(&self) {
        self.shared.lock().stopped = true;
        self.shared.changed.notify_all();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Drop for MapWorker {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The frames of one request.
struct Frames {
    shared: Arc<Shared>,
    ticket: u32,
    sent: u64,
    finished: bool,
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

/// The thread's own part.
struct Mover {
    shared: Arc<Shared>,
    start: Start,
    /// The shares whose layout is kept.
    first: Vec<f64>,
    seed: u64,
    on_rest: OnRest,
    kept: bool,
    /// Whether the start is the layout that was kept, and nothing has moved yet.
    untouched: bool,
}

/// What a layout is made for.
struct Target {
    shares: Vec<f64>,
    pool: Arc<Pool>,
    ticket: u32,
    pool_number: u32,
}

impl Mover {
    fn run(&mut self) {
        let mut done = None;
        while let Some(target) = self.next_target(done) {
            if self.lay_out(&target) {
                done = Some((target.ticket, target.pool_number));
            }
        }
    }

    /// Waits for something to do; nothing when the explorer ends.
    fn next_target(&self, done: Option<(u32, u32)>) -> Option<Target> {
        let mut state = self.shared.lock();
        loop {
            if state.stopped {
                return None;
            }
            let State { shares, ticket, pool, pool_number, .. } = &*state;
            if let Some(pool) = pool
                && done != Some((*ticket, *pool_number))
            {
                let (shares, pool) = (shares.clone(), Arc::clone(pool));
                return Some(Target { shares, pool, ticket: *ticket, pool_number: *pool_number });
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
        state.stopped || other
    }

    fn publish(&self, moment: Moment) {
        let bytes = Arc::new(encode(&self.start.points, moment));
        let mut state = self.shared.lock();
        let number = state.frame.number + 1;
        state.frame = Frame { number, moment, bytes };
        self.shared.changed.notify_all();
    }

    /// Hands out the first layout that rests on all candidates, once.
    fn keep(&mut self, target: &Target) {
        if !self.kept && target.shares == self.first && target.pool_number > 1 {
            self.kept = true;
            (self.on_rest)(&target.pool, &self.start.points);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_linalg::random::Stream;

    /// Two groups; every node knows its own group.
    fn pool(nodes: usize) -> Arc<Pool> {
        let others = |node: usize| (node % 2..nodes).step_by(2).filter(move |&row| row != node);
        let rows: Vec<u32> = (0..nodes).flat_map(|n| others(n).map(|row| row as u32)).collect();
        let each = rows.len() / nodes;
        let starts = (0..=nodes).map(|node| (node * each) as u64).collect();
        let products = vec![0.9; rows.len()];
        Arc::new(Pool { views: 1, starts, rows, products, own: vec![1.0; nodes] })
    }

    fn start(nodes: usize) -> Start {
        let mut stream = Stream::new(3);
        let points = (0..nodes).map(|_| [0; 2].map(|_| stream.unit() as f32)).collect();
        Start { points, at_rest: false }
    }

    fn moving(frame: &[u8]) -> bool {
        frame[12] == 1
    }

    #[test]
    fn frames_end_when_the_map_rests_and_newer_shares_win() {
        let worker = MapWorker::start(vec![1.0], start(60), 0, Box::new(|_, _| {})).unwrap();
        let mut early = worker.frames(&[1.0]);
        assert!(moving(&early.next().unwrap()), "the start is shown before there are candidates");
        worker.set_pool(pool(60));
        let last = early.last().unwrap();
        assert!(!moving(&last));
        // The same shares again: the layout that is there, at once.
        assert_eq!(worker.frames(&[1.0]).collect::<Vec<_>>(), [Arc::clone(&last)]);
        let superseded = worker.frames(&[2.0]);
        let newest = worker.frames(&[3.0]);
        assert_eq!(superseded.count(), 0);
        let last = newest.last().unwrap();
        assert!(!moving(&last) && last[28] == 2, "{:?}", &last[..32]);
    }

    #[test]
    fn a_layout_is_kept_once_and_an_end_ends_all() {
        let (sender, kept) = std::sync::mpsc::channel();
        let keep = move |_: &Pool, points: &[Point]| sender.send(points.len()).unwrap();
        let worker = MapWorker::start(vec![1.0], start(40), 0, Box::new(keep)).unwrap();
        worker.set_pool(pool(40));
        worker.frames(&[1.0]).for_each(drop);
        worker.set_pool(pool(40));
        assert_eq!(kept.recv().unwrap(), 40);
        let waiting = worker.frames(&[5.0]);
        drop(worker);
        assert!(waiting.count() <= 1);
        assert!(kept.try_recv().is_err());
    }
}
