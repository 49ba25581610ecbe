//! A model, its data, its pool and its map.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use gage_embed::Model;
use gage_plot::layout::{LayoutParams, Point, nearest, principal};

use crate::content::{Content, ExplorerParams};
use crate::error::ExplorerError;
use crate::map::{MapParams, MapWorker, Progress, Start};
use crate::pool::{self, Kept, Pool, anchors_of, unit_rows_at};
use crate::threads::Threads;

/// Neighbours that an anchor adds to the candidates of a node.
const CANDIDATES: usize = 30;

/// A model that is being explored. Candidates are gathered and the map is laid out by threads of
/// its own, which end when it is dropped.
pub struct Explorer {
    pub(crate) content: Arc<Content>,
    pub(crate) worker: Arc<MapWorker>,
    progress: Arc<Mutex<Progress>>,
    stopped: Arc<AtomicBool>,
}

impl Explorer {
    /// Starts to prepare candidates and map. Returns as soon as there is something to show.
    pub fn start(model: Model, mut params: ExplorerParams) -> Result<Explorer, ExplorerError> {
        let content = Arc::new(Content::new(model, &mut params)?);
        let ExplorerParams { cache, seed, threads, .. } = params;
        let threads = Threads::new(threads)?;
        let anchors = content.map_anchors();
        let mark = cache.as_ref().map(|_| pool::mark(&content.model, &content.shares, seed));
        let place = cache.zip(mark);
        let shape =
            [content.model.nodes().len(), content.model.views().len(), anchors.len().max(1)];
        let kept = place.as_ref().and_then(|(path, mark)| pool::load(path, mark, shape));
        let unit = || unit_rows_at(&content.model, &content.shares);
        let (start, pool, anchored) = match kept {
            Some(Kept { pool, mut layouts }) => {
                let points = layouts[0].clone();
                layouts.truncate(anchors.len());
                (Start { points, at_rest: true }, Some(pool), layouts)
            }
            None => {
                let points =
                    threads.run(|| Ok::<_, ExplorerError>(first_points(&unit()?, seed)))?;
                (Start { points, at_rest: false }, None, Vec::new())
            }
        };
        let save = place.filter(|_| pool.is_none());
        let on_rest = Box::new(move |pool: &Pool, layouts: &[Vec<Point>]| {
            if let Some((path, mark)) = &save {
                // What is kept saves time, nothing else; a folder may well be closed to us.
                let _ = pool::save(path, mark, pool, layouts);
            }
        });
        let worker = MapWorker::start(MapParams {
            shares: content.shares.clone(),
            start,
            anchors,
            anchored,
            seed,
            threads: threads.clone(),
            on_rest,
        })?;
        let explorer = Explorer {
            content,
            worker: Arc::new(worker),
            progress: Arc::default(),
            stopped: Arc::default(),
        };
        match pool {
            Some(pool) => explorer.take(pool),
            None => explorer.gather(seed, threads)?,
        }
        Ok(explorer)
    }

    fn take(&self, pool: Pool) {
        let count = anchors_of(&self.content.model, &self.content.shares).len();
        self.set_progress(Progress { anchors_done: count, anchors: count, cached: true });
        self.worker.set_pool(Arc::new(pool), true);
    }

    /// Starts the thread that gathers candidates: those at the shares of the model first, so that
    /// the map can begin to move.
    fn gather(&self, seed: u64, threads: Threads) -> Result<(), ExplorerError> {
        let (content, worker) = (Arc::clone(&self.content), Arc::clone(&self.worker));
        let (stopped, progress) = (Arc::clone(&self.stopped), Arc::clone(&self.progress));
        let anchors = anchors_of(&self.content.model, &self.content.shares);
        self.set_progress(Progress { anchors: anchors.len(), ..Progress::default() });
        let work = move || {
            let exact = LayoutParams::default().exact_nodes;
            let mut lists = Vec::new();
            for (done, shares) in anchors.iter().enumerate() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                // Shares of anchors are on the simplex, so that there are always rows.
                let Ok(unit) = unit_rows_at(&content.model, shares) else { return };
                lists.push(nearest(&unit, CANDIDATES, exact, seed));
                drop(unit);
                let last = done + 1 == anchors.len();
                if done == 0 || last {
                    worker.set_pool(Arc::new(Pool::new(&content.model, &lists)), last);
                }
                lock(&progress).anchors_done = done + 1;
            }
        };
        let thread =
            thread::Builder::new().name("candidates".to_owned()).spawn(move || threads.run(work));
        thread.map(drop).map_err(ExplorerError::Thread)
    }

    fn set_progress(&self, progress: Progress) {
        *lock(&self.progress) = progress;
    }

    pub(crate) fn progress(&self) -> Progress {
        *lock(&self.progress)
    }

    /// The candidates, once those of all anchors are known.
    pub(crate) fn whole_pool(&self) -> Option<Arc<Pool>> {
        let progress = self.progress();
        (progress.anchors_done == progress.anchors).then(|| self.worker.pool()).flatten()
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        // The thread that gathers ends by itself after its anchor; nothing waits for it.
        self.stopped.store(true, Ordering::SeqCst);
        self.worker.stop();
    }
}

/// A panic of another thread does not make plain data wrong.
fn lock(progress: &Mutex<Progress>) -> std::sync::MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn first_points(unit: &gage_embed::Tall<f32>, seed: u64) -> Vec<Point> {
    match unit.rows() {
        nodes @ 0..=2 => (0..nodes).map(|node| [node as f32, 0.0]).collect(),
        _ => principal(unit, seed),
    }
}

/// Where candidates and layout of a model are kept: beside it.
pub fn cache_beside(model: &Path) -> PathBuf {
    let mut name = model.file_name().unwrap_or_default().to_os_string();
    name.push(".explore");
    model.with_file_name(name)
}
