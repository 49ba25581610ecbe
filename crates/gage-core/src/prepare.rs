//! From a graph and parameters to a fit: the preset selects its views, and they are built.

use crate::cost::{Plan, TimeEstimate};
use crate::error::Error;
use crate::fit::Prepared;
use crate::graph::Graph;
use crate::model::Model;
use crate::params::{CheckedParams, Dimension};
use crate::preset_selection::{resolve, resolve_for_plan};
use crate::progress::{Observer, Stage};
use crate::solver::FitContext;

/// Selects the views of a graph and builds them. What it returns knows what the fit will cost, and
/// fits the model.
///
/// A stopped fit resumes from a checkpoint, with the same bits as result:
///
/// ```
/// use std::sync::Mutex;
/// use gage_embed::solver::{CheckpointStore, FitCheckpoint, FitCheckpointRef, FitContext, prepare};
/// use gage_embed::{
///     Block, Dimension, Error, FitParams, Graph, Nodes, Observer, Progress, SparseMatrix,
/// };
///
/// /// Keeps the last checkpoint in memory; a file is as good.
/// #[derive(Default)]
/// struct Memory(Mutex<Vec<u8>>);
/// impl CheckpointStore for Memory {
///     fn save(&self, checkpoint: &FitCheckpointRef<'_>) {
///         *self.0.lock().unwrap() = checkpoint.to_bytes().unwrap();
///     }
/// }
/// /// Stops the fit after its third pass.
/// #[derive(Default)]
/// struct Impatient(Mutex<usize>);
/// impl Observer for Impatient {
///     fn progress(&self, progress: &Progress) {
///         *self.0.lock().unwrap() = progress.passes;
///     }
///     fn cancelled(&self) -> bool {
///         *self.0.lock().unwrap() >= 3
///     }
/// }
///
/// let links: Vec<(u32, u32, f64)> = (0..2000u32).map(|i| (i, (i * i + 1) % 2000, 1.0)).collect();
/// let links = SparseMatrix::from_triplets(2000, 2000, &links)?;
/// let graph = Graph::new(Nodes::numbered(2000)).with_block(Block::links("links", links, true))?;
/// let params = FitParams { dimension: Dimension::Fixed(4), ..FitParams::default() }.check()?;
/// let (memory, impatient) = (Memory::default(), Impatient::default());
/// let ctx = FitContext { checkpoints: Some(&memory), ..FitContext::default() };
/// let prepared = prepare(&graph, params.clone(), &ctx)?;
/// assert_eq!(prepared.plan().passes, 10);
/// let stopped = prepared.fit(&FitContext { observer: &impatient, ..ctx.clone() });
/// assert!(matches!(stopped, Err(Error::Cancelled { .. })));
/// let checkpoint = FitCheckpoint::from_bytes(&memory.0.lock().unwrap())?;
/// let ctx = FitContext::default();
/// let (model, work) = prepare(&graph, params, &ctx)?.resume(Some(checkpoint), &ctx)?;
/// assert!(work.passes < model.info().passes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn prepare<'a>(
    graph: &'a Graph,
    params: CheckedParams,
    ctx: &FitContext<'_>,
) -> Result<Prepared<'a>, Error> {
    check_sizes(graph.nodes().all(), params.dimension)?;
    Error::catch_memory(
        || Stage::Views,
        || {
            if params.preset.selection.is_some()
                && params.views.is_none()
                && !ctx.reducer.is_single()
            {
                let what = format!("preset `{}`, which selects views,", params.preset.name);
                return Err(Error::Workers { what });
            }
            let (resolved, selection) = resolve(graph, params.clone(), ctx)?;
            let prepared = Prepared::new(graph, resolved, ctx)?;
            Ok(Prepared { requested: params, selection, ..prepared })
        },
    )
}

/// Fits a model to a graph.
///
/// ```
/// use gage_embed::{Block, Dimension, FitParams, Graph, Lambda, Nodes, SparseMatrix, fit};
/// let links = [(0, 1, 1.0), (1, 0, 1.0), (2, 3, 1.0), (3, 2, 1.0)];
/// let links = SparseMatrix::from_triplets(4, 4, &links)?;
/// let words = [(0, 0, 2.0), (1, 0, 1.0), (2, 1, 1.0), (3, 2, 1.0)];
/// let words = SparseMatrix::from_triplets(4, 3, &words)?;
/// let graph = Graph::new(Nodes::named(["a", "b", "c", "d"])?)
///     .with_block(Block::links("links", links, false))?
///     .with_block(Block::attributes("attributes", words))?;
/// let params = FitParams { dimension: Dimension::Fixed(2), ..FitParams::default() };
/// let model = fit(&graph, params.check()?)?;
/// let embedding = model.embedding(&Lambda::Links(0.8))?;
/// assert_eq!((embedding.rows(), embedding.cols()), (4, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit(graph: &Graph, params: CheckedParams) -> Result<Model, Error> {
    let ctx = FitContext::default();
    prepare(graph, params, &ctx)?.fit(&ctx)
}

/// As [`fit`], reporting to an observer that may also stop the fit.
pub fn fit_with(
    graph: &Graph,
    params: CheckedParams,
    observer: &dyn Observer,
) -> Result<Model, Error> {
    let ctx = FitContext { observer, ..FitContext::default() };
    prepare(graph, params, &ctx)?.fit(&ctx)
}

/// What a fit will take. Builds the views (transposes and diagonals) to measure them, but runs
/// nothing: a preset that tries fits is planned with the first views it would try.
pub fn plan(graph: &Graph, params: &CheckedParams) -> Result<Plan, Error> {
    Ok(prepare_untried(graph, params)?.plan())
}

/// As [`plan`], with an estimate of the time.
///
/// ```
/// use gage_embed::solver::timed_plan;
/// use gage_embed::{Block, Dimension, FitParams, Graph, Nodes, SparseMatrix};
/// let links: Vec<(u32, u32, f64)> = (0..1500).map(|i| (i, (7 * i + 1) % 1500, 1.0)).collect();
/// let links = SparseMatrix::from_triplets(1500, 1500, &links)?;
/// let graph = Graph::new(Nodes::numbered(1500)).with_block(Block::links("links", links, true))?;
/// let params = FitParams { dimension: Dimension::Fixed(8), ..FitParams::default() }.check()?;
/// let (plan, time) = timed_plan(&graph, &params)?;
/// assert!(plan.passes == 10 && time.seconds() > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn timed_plan(graph: &Graph, params: &CheckedParams) -> Result<(Plan, TimeEstimate), Error> {
    let prepared = prepare_untried(graph, params)?;
    Ok((prepared.plan(), prepared.time_estimate()))
}

fn prepare_untried<'a>(graph: &'a Graph, params: &CheckedParams) -> Result<Prepared<'a>, Error> {
    let params = resolve_for_plan(graph, params).check()?;
    let ctx = FitContext::default();
    Error::catch_memory(|| Stage::Views, || Prepared::new(graph, params, &ctx))
}

fn check_sizes(nodes: usize, dimension: Dimension) -> Result<(), Error> {
    if nodes < 2 {
        return Err(Error::TooFewNodes { least: 2, found: nodes });
    }
    let found = dimension.most();
    let fixed = matches!(dimension, Dimension::Fixed(_));
    if found == 0 || (fixed && found > nodes) {
        return Err(Error::Dimension { most: nodes, found });
    }
    Ok(())
}
