//! The map: whoever wants frames, and the thread that makes them.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use gage_plot::layout::Point;

use super::anchored::resting_frame;
use super::frame::{Moment, encode};
use super::mover::{Mover, OnRest, Start};
use super::shared::{Frame, Shared, State};
use super::streams::{AnchorFrames, Frames};
use crate::error::ExplorerError;
use crate::pool::Pool;
use crate::threads::Threads;

/// How a map begins.
pub(crate) struct MapParams {
    /// The shares of the first layout.
    pub(crate) shares: Vec<f64>,
    pub(crate) start: Start,
    /// Where layouts are made of which the page mixes the map, those of the first shares first;
    /// none if the map moves by itself.
    pub(crate) anchors: Vec<Vec<f64>>,
    /// These layouts, if they are there already.
    pub(crate) anchored: Vec<Vec<Point>>,
    pub(crate) seed: u64,
    pub(crate) threads: Threads,
    pub(crate) on_rest: OnRest,
}

/// The map and the thread that moves it.
pub(crate) struct MapWorker {
    shared: Arc<Shared>,
    anchors: usize,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl MapWorker {
    /// Starts with these shares. Nothing moves before there are candidates.
    pub(crate) fn start(params: MapParams) -> Result<MapWorker, ExplorerError> {
        let MapParams { shares, start, anchors, anchored, seed, threads, on_rest } = params;
        let moment = Moment { moving: !start.at_rest, ..Moment::default() };
        let frame = Frame { number: 1, moment, bytes: Arc::new(encode(&start.points, moment)) };
        let anchored = anchored.iter().map(|points| Arc::new(resting_frame(points))).collect();
        let (first, untouched, count) = (shares.clone(), start.at_rest, anchors.len());
        let state = State {
            shares,
            ticket: 0,
            pool: None,
            pool_number: 0,
            whole: false,
            frame,
            anchored,
            stopped: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let mut mover = Mover {
            shared: Arc::clone(&shared),
            start,
            first,
            anchors,
            seed,
            threads,
            on_rest,
            kept: false,
            untouched,
            anchored: Vec::new(),
        };
        let thread = thread::Builder::new().name("map".to_owned()).spawn(move || mover.run());
        let thread = Mutex::new(Some(thread.map_err(ExplorerError::Thread)?));
        Ok(MapWorker { shared, anchors: count, thread })
    }

    /// Gives the map more candidates, or all there are.
    pub(crate) fn set_pool(&self, pool: Arc<Pool>, whole: bool) {
        self.shared.change(|state| {
            state.pool = Some(pool);
            state.pool_number += 1;
            state.whole = whole;
        });
    }

    /// The candidates so far.
    pub(crate) fn pool(&self) -> Option<Arc<Pool>> {
        self.shared.lock().pool.clone()
    }

    /// Moves the map to these shares and gives its frames until it rests or other shares are
    /// wanted. A reader that is slow misses frames in between, never the last. A map that is mixed
    /// stays at the shares of the model.
    pub(crate) fn frames(
        &self,
        shares: &[f64],
    ) -> impl Iterator<Item = Arc<Vec<u8>>> + Send + use<> {
        let mut state = self.shared.lock();
        if self.anchors == 0 && state.shares != shares {
            state.shares = shares.to_vec();
            state.ticket += 1;
            self.shared.changed.notify_all();
        }
        let ticket = state.ticket;
        drop(state);
        Frames::new(Arc::clone(&self.shared), ticket)
    }

    /// The layouts at the anchors, as they are made.
    pub(crate) fn anchor_frames(&self) -> impl Iterator<Item = Arc<Vec<u8>>> + Send + use<> {
        AnchorFrames::new(Arc::clone(&self.shared), self.anchors)
    }

    /// Ends all streams and waits for the thread, which takes a round at most, or the writing of
    /// what is kept.
    pub(crate) fn stop(&self) {
        self.shared.change(|state| state.stopped = true);
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

    fn params(nodes: usize, on_rest: OnRest) -> MapParams {
        MapParams {
            shares: vec![1.0],
            start: start(nodes),
            anchors: Vec::new(),
            anchored: Vec::new(),
            seed: 0,
            threads: Threads::default(),
            on_rest,
        }
    }

    fn moving(frame: &[u8]) -> bool {
        frame[12] == 1
    }

    #[test]
    fn frames_end_when_the_map_rests_and_newer_shares_win() {
        let worker = MapWorker::start(params(60, Box::new(|_, _| {}))).unwrap();
        let mut early = worker.frames(&[1.0]);
        assert!(moving(&early.next().unwrap()), "the start is shown before there are candidates");
        worker.set_pool(pool(60), true);
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
        let keep = move |_: &Pool, layouts: &[Vec<Point>]| {
            sender.send(layouts.iter().map(Vec::len).collect::<Vec<_>>()).unwrap();
        };
        let worker = MapWorker::start(params(40, Box::new(keep))).unwrap();
        worker.set_pool(pool(40), false);
        worker.frames(&[1.0]).for_each(drop);
        worker.set_pool(pool(40), true);
        assert_eq!(kept.recv().unwrap(), [40]);
        let waiting = worker.frames(&[5.0]);
        drop(worker);
        assert!(waiting.count() <= 1);
        assert!(kept.try_recv().is_err());
    }

    #[test]
    fn a_mixed_map_stays_and_has_a_layout_for_every_anchor() {
        let (sender, kept) = std::sync::mpsc::channel();
        let keep = move |_: &Pool, layouts: &[Vec<Point>]| sender.send(layouts.to_vec()).unwrap();
        let anchors = vec![vec![1.0], vec![0.5], vec![0.25]];
        let params = MapParams { anchors: anchors.clone(), ..params(30, Box::new(keep)) };
        let worker = MapWorker::start(params).unwrap();
        let layouts = worker.anchor_frames();
        worker.set_pool(pool(30), false);
        let own = worker.frames(&[1.0]).last().unwrap();
        // Other shares do not move it.
        assert_eq!(worker.frames(&[0.3]).last().unwrap(), own);
        worker.set_pool(pool(30), true);
        let layouts: Vec<_> = layouts.collect();
        assert_eq!(layouts.len(), 3);
        assert_eq!(layouts[0][16..], own[16..], "the first is the map itself");
        let points = kept.recv().unwrap();
        assert_eq!(points.len(), 3);
        drop(worker);
        // With all of it at hand nothing is made again.
        let first = Start { points: points[0].clone(), at_rest: true };
        let params = self::params(30, Box::new(|_, _| panic!("it is kept already")));
        let params = MapParams { anchors, start: first, anchored: points, ..params };
        let again = MapWorker::start(params).unwrap();
        again.set_pool(pool(30), true);
        assert_eq!(again.anchor_frames().collect::<Vec<_>>(), layouts);
        assert_eq!(again.frames(&[1.0]).last().unwrap()[16..], own[16..]);
    }
}
