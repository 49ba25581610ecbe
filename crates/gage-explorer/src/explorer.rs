//! A model, its data, its pool and its map.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use gage_embed::{Graph, Labels, Lambda, Model};
use gage_plot::layout::{LayoutParams, nearest, principal};

use crate::content::{About, Clusters, Data, Names, colourings, describe_views};
use crate::error::ExplorerError;
use crate::map::{MapWorker, Progress, Start};
use crate::pool::{self, Pool, anchors, unit_rows_at};

/// Neighbours that an anchor adds to the candidates of a node.
const CANDIDATES: usize = 30;
/// Up to this many nodes, all rows are compared for the neighbours of one.
pub(crate) const SCANNED: usize = 250_000;
/// Most nodes of a map: what one frame may hold.
const MOST_NODES: usize = 20_000_000;

/// What to explore beside the model.
#[derive(Debug, Default)]
pub struct ExplorerParams {
    /// Heading of the page.
    pub title: String,
    /// The data the model was fitted to: attributes and links of nodes are shown from them.
    pub graph: Option<Graph>,
    /// Classes in the order of the model's nodes; those of the data if there are none.
    pub labels: Option<Labels>,
    /// Where candidates and layout are kept for the next start, if anywhere.
    pub cache: Option<PathBuf>,
    /// Seed of everything random.
    pub seed: u64,
}

/// A model that is being explored. Candidates are gathered and the map is laid out by threads of
/// its own, which end when it is dropped.
pub struct Explorer {
    pub(crate) content: Arc<Content>,
    pub(crate) worker: Arc<MapWorker>,
    progress: Arc<Mutex<Progress>>,
    stopped: Arc<AtomicBool>,
}

/// What does not change while the page is open.
pub(crate) struct Content {
    pub(crate) model: Model,
    pub(crate) shares: Vec<f64>,
    pub(crate) data: Option<Data>,
    pub(crate) labels: Option<Labels>,
    pub(crate) names: Names,
    title: String,
    seed: u64,
    clusters: OnceLock<Option<Clusters>>,
}

impl Explorer {
    /// Starts to prepare candidates and map. Returns as soon as there is something to show.
    pub fn start(model: Model, params: ExplorerParams) -> Result<Explorer, ExplorerError> {
        let content = Arc::new(Content::new(model, &params)?);
        let ExplorerParams { graph: _, cache, seed, .. } = params;
        let (nodes, views) = (content.model.nodes().len(), content.model.views().len());
        let mark = cache.as_ref().map(|_| pool::mark(&content.model, &content.shares, seed));
        let place = cache.zip(mark);
        let kept = place.as_ref().and_then(|(path, mark)| pool::load(path, mark, nodes, views));
        let unit = unit_rows_at(&content.model, &content.shares)?;
        let (start, pool) = match kept {
            Some(kept) => (Start { points: kept.points, at_rest: true }, Some(kept.pool)),
            None => (Start { points: first_points(&unit, seed), at_rest: false }, None),
        };
        let save = place.filter(|_| pool.is_none());
        let on_rest = Box::new(move |pool: &Pool, points: &[[f32; 2]]| {
            if let Some((path, mark)) = &save {
                // What is kept saves time, nothing else; a folder may well be closed to us.
                let _ = pool::save(path, mark, pool, points);
            }
        });
        let worker = MapWorker::start(content.shares.clone(), start, seed, on_rest)?;
        let explorer = Explorer {
            content,
            worker: Arc::new(worker),
            progress: Arc::default(),
            stopped: Arc::default(),
        };
        match pool {
            Some(pool) => explorer.take(pool),
            None => explorer.gather(seed)?,
        }
        Ok(explorer)
    }

    fn take(&self, pool: Pool) {
        let count = anchors(&self.content.shares).len();
        self.set_progress(Progress { anchors_done: count, anchors: count, cached: true });
        self.worker.set_pool(Arc::new(pool));
    }

    /// Starts the thread that gathers candidates: those at the shares of the model first, so that
    /// the map can begin to move.
    fn gather(&self, seed: u64) -> Result<(), ExplorerError> {
        let (content, worker) = (Arc::clone(&self.content), Arc::clone(&self.worker));
        let (stopped, progress) = (Arc::clone(&self.stopped), Arc::clone(&self.progress));
        let anchors = anchors(&self.content.shares);
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
                if done == 0 || done + 1 == anchors.len() {
                    worker.set_pool(Arc::new(Pool::new(&content.model, &lists)));
                }
                lock(&progress).anchors_done = done + 1;
            }
        };
        let thread = thread::Builder::new().name("candidates".to_owned()).spawn(work);
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

fn first_points(unit: &gage_embed::Tall<f32>, seed: u64) -> Vec<[f32; 2]> {
    match unit.rows() {
        nodes @ 0..=2 => (0..nodes).map(|node| [node as f32, 0.0]).collect(),
        _ => principal(unit, seed),
    }
}

impl Content {
    fn new(model: Model, params: &ExplorerParams) -> Result<Content, ExplorerError> {
        let nodes = model.nodes().len();
        if nodes > MOST_NODES {
            return Err(ExplorerError::TooManyNodes { nodes, most: MOST_NODES });
        }
        let shares = model.shares(&Lambda::Preset)?;
        let graph = params.graph.clone();
        let data = graph.map(|graph| Data::new(graph, model.nodes())).transpose()?;
        let own = || data.as_ref().and_then(Data::labels);
        let labels = params.labels.clone().or_else(own);
        let names = Names::of(model.nodes());
        let (title, seed) = (params.title.clone(), params.seed);
        let clusters = OnceLock::new();
        Ok(Content { model, shares, data, labels, names, title, seed, clusters })
    }

    /// Clusters at the shares of the model, made when they are first wanted.
    pub(crate) fn clusters(&self) -> Option<&Clusters> {
        let find = || {
            let unit = unit_rows_at(&self.model, &self.shares).ok()?;
            let (labels, data) = (self.labels.as_ref(), self.data.as_ref());
            Clusters::find(&unit, self.model.nodes(), labels, data, self.seed)
        };
        self.clusters.get_or_init(find).as_ref()
    }

    /// Whether a share of the links can be chosen: there are views of both kinds.
    pub(crate) fn takes_lambda(&self) -> bool {
        let uses = |links: bool| self.model.views().iter().any(|view| view.uses_links == links);
        uses(true) && uses(false)
    }

    pub(crate) fn about(&self) -> About {
        let model = &self.model;
        About {
            title: self.title.clone(),
            nodes: model.nodes().len(),
            columns: model.dimension(),
            preset: model.params().preset.name.clone(),
            relative_loss: model.info().relative_loss,
            views: describe_views(model),
            shares: self.shares.clone(),
            takes_lambda: self.takes_lambda(),
            has_data: self.data.is_some(),
            has_classes: self.labels.is_some(),
            colourings: colourings(self.labels.as_ref(), self.data.as_ref()),
            certificate: model.certificate().cloned(),
            exact: model.nodes().len() <= SCANNED,
        }
    }
}

/// Where candidates and layout of a model are kept: beside it.
pub fn cache_beside(model: &Path) -> PathBuf {
    let mut name = model.file_name().unwrap_or_default().to_os_string();
    name.push(".explore");
    model.with_file_name(name)
}
