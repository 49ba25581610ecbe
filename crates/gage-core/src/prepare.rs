//! Fits a model to a graph: presets that choose are resolved, then the pipeline runs.

use crate::error::Error;
use crate::fingerprint::fingerprint;
use crate::fit::{FitWork, Run};
use crate::graph::Graph;
use crate::model::Model;
use crate::params::CheckedParams;
use crate::preset_selection::resolve;
use crate::progress::{NoObserver, Observer};
use crate::solver::{FitState, StateKeeper};
use gage_linalg::{LocalReducer, Reducer, Workspace};

/// Fits a model to a graph.
///
/// ```
/// use gage_embed::{Block, Dimension, FitParams, Graph, Lambda, Nodes, SparseMatrix, fit};
/// let links = SparseMatrix::from_triplets(4, 4, &[(0, 1, 1.0), (1, 0, 1.0), (2, 3, 1.0), (3, 2, 1.0)])?;
/// let words = SparseMatrix::from_triplets(4, 3, &[(0, 0, 2.0), (1, 0, 1.0), (2, 1, 1.0), (3, 2, 1.0)])?;
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
    fit_with(graph, params, &NoObserver)
}

/// As [`fit`], reporting to an observer that may also stop the fit.
pub fn fit_with(
    graph: &Graph,
    params: CheckedParams,
    observer: &dyn Observer,
) -> Result<Model, Error> {
    let context = FitContext { observer, ..FitContext::default() };
    fit_in(graph, params, &context, None).map(|(model, _)| model)
}

/// What a fit runs with besides its data and its parameters.
#[derive(Clone)]
pub struct FitContext<'a> {
    /// Receives progress, and may stop the fit.
    pub observer: &'a dyn Observer,
    /// Distributes node rows over workers. Every worker passes the whole graph and receives a model
    /// that holds its own rows; everything else in it is the same on all workers.
    pub reducer: &'a dyn Reducer,
    /// Where tall matrices are allocated and kernels are counted.
    pub workspace: Workspace,
    /// Is offered the state of the fit at every boundary between stages and iterations.
    pub keeper: Option<&'a dyn StateKeeper>,
}

impl Default for FitContext<'_> {
    fn default() -> Self {
        FitContext {
            observer: &NoObserver,
            reducer: &LocalReducer,
            workspace: Workspace::default(),
            keeper: None,
        }
    }
}

/// As [`fit`], in a context, and perhaps going on from a state that was kept. A fit that goes on
/// ends in the same bits as one that was never interrupted (on the same kind of processor; the
/// number of threads may differ).
///
/// A state of other data, other parameters or another version is refused with [`Error::State`].
///
/// ```
/// use std::sync::Mutex;
/// use gage_embed::{
///     Block, Dimension, Error, FitParams, Graph, Nodes, Observer, Progress, SparseMatrix,
/// };
/// use gage_embed::solver::{FitContext, FitSnapshot, FitState, StateKeeper, fit_in};
///
/// /// Keeps the last state in memory; a file is as good.
/// #[derive(Default)]
/// struct Memory(Mutex<Vec<u8>>);
/// impl StateKeeper for Memory {
///     fn keep(&self, state: &FitSnapshot<'_>) {
///         *self.0.lock().unwrap() = state.to_bytes().unwrap();
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
/// let graph = Graph::new(Nodes::numbered(2000))
///     .with_block(Block::links("links", SparseMatrix::from_triplets(2000, 2000, &links)?, true))?;
/// let params = FitParams { dimension: Dimension::Fixed(4), ..FitParams::default() }.check()?;
/// let memory = Memory::default();
/// let impatient = Impatient::default();
/// let context =
///     FitContext { observer: &impatient, keeper: Some(&memory), ..FitContext::default() };
/// let stopped = fit_in(&graph, params.clone(), &context, None);
/// assert!(matches!(stopped, Err(Error::Cancelled { .. })));
/// let state = FitState::from_bytes(&memory.0.lock().unwrap())?;
/// let (model, work) = fit_in(&graph, params, &FitContext::default(), Some(state))?;
/// assert!(work.passes < model.info().passes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_in(
    graph: &Graph,
    params: CheckedParams,
    context: &FitContext<'_>,
    state: Option<FitState>,
) -> Result<(Model, FitWork), Error> {
    let FitContext { observer, reducer, ref workspace, keeper } = *context;
    let resumable = keeper.is_some() || state.is_some();
    let fingerprint = if resumable { fingerprint(graph, &params) } else { String::new() };
    if state.as_ref().is_some_and(|state| state.header.fingerprint != fingerprint) {
        let reason = "belongs to other data, other parameters or another version".to_owned();
        return Err(Error::State { reason });
    }
    let keeper = keeper.map(|keeper| (keeper, fingerprint.as_str()));
    let (params, choice) = resolve(graph, params, observer, workspace)?;
    let run = Run { params: &params, observer, reducer, workspace, keeper };
    let (mut model, work) = run.fit(graph, state)?;
    model.info.choice = choice;
    Ok((model, work))
}

impl FitState {
    /// Whether this state is of a fit of this graph with these parameters, by this version of the program.
    pub fn is_of(&self, graph: &Graph, params: &CheckedParams) -> bool {
        self.header.fingerprint == fingerprint(graph, params)
    }
}
