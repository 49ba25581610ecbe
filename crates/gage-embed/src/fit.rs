//! The pipeline on one page: the only place that calls the stages, in their order.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::certificate::measure;
use crate::choose::resolve;
use crate::embedding::{FitInfo, FittedView, FoldInTables, Model, canonical_form};
use crate::error::Error;
use crate::fingerprint::fingerprint;
use crate::graph::Graph;
use crate::impute::{Missing, refill};
use crate::linalg::{LocalReducer, Numbers, Precision, Real, Reducer, Reuse};
use crate::params::{CheckedParams, FitParams};
use crate::plan::planned_passes;
use crate::solver::{
    BasisSoFar, Context, Draft, FitState, FullFactors, Keeping, NoObserver, Observer, Point,
    Problem, Quality, RefineInfo, RefineSoFar, RefineTask, Restored, Round, Stage, StartInfo,
    StateKeeper, quality, refine, row_prior, start,
};
use crate::views::{ViewSpec, Views};

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
    fit_rows(graph, params, observer, &LocalReducer)
}

/// As [`fit_with`], with node rows distributed over workers. Every worker passes the whole graph and receives a model
/// that holds its own rows; everything else in it is the same on all workers.
pub fn fit_rows(
    graph: &Graph,
    params: CheckedParams,
    observer: &dyn Observer,
    reducer: &dyn Reducer,
) -> Result<Model, Error> {
    let (params, choice) = resolve(graph, params, observer)?;
    let run = Run { params: &params, observer, reducer, keeper: None };
    let (mut model, _) = run.fit(graph, None)?;
    model.info.choice = choice;
    Ok(model)
}

/// What a fit that can be taken up again did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitWork {
    /// Passes over each view made in this run, all rounds of estimating missing entries together. The passes in
    /// [`FitInfo`] are those a fit without interruption makes.
    pub passes: usize,
    /// Where it went on from, if not from the beginning.
    pub resumed: Option<Stage>,
}

/// As [`fit_with`], offering the state of the fit to a keeper at every boundary between stages and iterations, and going
/// on from a state that was kept. A fit that goes on ends in the same bits as one that was never interrupted (on the same
/// kind of processor; the number of threads may differ).
///
/// A state of other data, other parameters or another version of the program is refused with [`Error::State`].
///
/// ```
/// use std::sync::Mutex;
/// use gage_embed::{Dimension, Error, FitParams, FitSnapshot, FitState, Graph, Block, NoObserver, Nodes, Observer,
///     Progress, SparseMatrix, StateKeeper, fit_resumable};
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
/// let stopped = fit_resumable(&graph, params.clone(), &Impatient::default(), &memory, None);
/// assert!(matches!(stopped, Err(Error::Cancelled { .. })));
/// let state = FitState::from_bytes(&memory.0.lock().unwrap())?;
/// let (model, work) = fit_resumable(&graph, params, &NoObserver, &Memory::default(), Some(state))?;
/// assert!(work.passes < model.info().passes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_resumable(
    graph: &Graph,
    params: CheckedParams,
    observer: &dyn Observer,
    keeper: &dyn StateKeeper,
    state: Option<FitState>,
) -> Result<(Model, FitWork), Error> {
    let fingerprint = fingerprint(graph, &params);
    if state.as_ref().is_some_and(|state| state.header.fingerprint != fingerprint) {
        let reason = "belongs to other data, other parameters or another version".to_owned();
        return Err(Error::State { reason });
    }
    let keeper = Some((keeper, fingerprint.as_str()));
    let (params, choice) = resolve(graph, params, observer)?;
    let run = Run { params: &params, observer, reducer: &LocalReducer, keeper };
    let (mut model, work) = run.fit(graph, state)?;
    model.info.choice = choice;
    Ok((model, work))
}

/// The views a fit makes of a graph.
pub(crate) fn specs(graph: &Graph, params: &FitParams) -> Result<Vec<ViewSpec>, Error> {
    let mut specs = match &params.views {
        Some(views) => views.clone(),
        None => params.preset.specs_for(graph, params.directed),
    };
    if let Some(weights) = &params.weights {
        if weights.len() != specs.len() {
            return Err(Error::PerView {
                what: "weights",
                found: weights.len(),
                views: specs.len(),
                names: specs.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(", "),
            });
        }
        specs.iter_mut().zip(weights).for_each(|(spec, &weight)| spec.weight = weight);
    }
    Ok(specs)
}

impl FitState {
    /// Whether this state is of a fit of this graph with these parameters, by this version of the program.
    pub fn is_of(&self, graph: &Graph, params: &CheckedParams) -> bool {
        self.header.fingerprint == fingerprint(graph, params)
    }
}

/// What stays the same over all rounds of a fit.
struct Run<'a> {
    params: &'a CheckedParams,
    observer: &'a dyn Observer,
    reducer: &'a dyn Reducer,
    /// Who keeps states, and the fingerprint of the fit.
    keeper: Option<(&'a dyn StateKeeper, &'a str)>,
}

impl Run<'_> {
    fn fit(&self, graph: &Graph, state: Option<FitState>) -> Result<(Model, FitWork), Error> {
        match self.params.precision {
            Precision::F32 => self.fit_as::<f32>(graph, state),
            Precision::F64 => self.fit_as::<f64>(graph, state),
        }
    }

    fn fit_as<T: Real>(
        &self,
        graph: &Graph,
        mut state: Option<FitState>,
    ) -> Result<(Model, FitWork), Error> {
        let params = self.params;
        let specs = specs(graph, params)?;
        let missing = Missing::find(graph, &specs);
        let mut work = FitWork { passes: 0, resumed: state.as_ref().map(FitState::stage) };
        if missing.is_empty() || params.impute_rounds == 0 {
            let model = self.once::<T>(graph, &specs, &Round::default(), state, &mut work)?;
            return Ok((model, work));
        }
        // Single missing entries: fit, predict them from the model, and fit again.
        let mut round = match &mut state {
            Some(state) => {
                state.round(&missing.sizes()).map_err(|reason| Error::State { reason })?
            }
            None => Round::default(),
        };
        let mut filled = match round.number {
            0 => graph.clone(),
            _ => missing.filled(graph, &round.filled)?,
        };
        loop {
            let mut model = self.once::<T>(&filled, &specs, &round, state.take(), &mut work)?;
            let settled = round.change.is_some_and(|change| change < 1e-3);
            if settled || round.number >= params.impute_rounds {
                model.info.imputed = Some((missing.count(), round.change.unwrap_or(f64::INFINITY)));
                return Ok((model, work));
            }
            let change;
            (filled, change) = refill(graph, &filled, &missing, model.factors(), self.reducer)?;
            round = Round {
                number: round.number + 1,
                change: Some(change),
                filled: missing.estimates(&filled),
            };
        }
    }

    fn once<T: Real>(
        &self,
        graph: &Graph,
        specs: &[ViewSpec],
        round: &Round,
        state: Option<FitState>,
        work: &mut FitWork,
    ) -> Result<Model, Error> {
        let nodes = graph.nodes().len();
        check_sizes(nodes, self.params)?;
        let planned = planned_passes(self.params, nodes);
        let mut ctx = Context::new(self.reducer, self.observer, planned);
        ctx.keeping = self.keeper.map(|(keeper, fingerprint)| Keeping {
            keeper,
            fingerprint,
            round,
            kept: AtomicBool::new(false),
        });
        let _reuse = Reuse::begin();
        let model = fit_once::<T>(graph, specs, self.params, state, &ctx)?;
        work.passes += ctx.done.into_inner();
        Ok(model)
    }
}

/// Factors for every node, found and refined, or taken over from a state.
fn factorise<T: Real>(
    problem: &Problem<'_>,
    params: &CheckedParams,
    state: Option<FitState>,
    ctx: &Context<'_>,
) -> Result<(FullFactors<T>, StartInfo, Option<RefineInfo>), Error> {
    let restored = state.map(|state| state.restore::<T>(problem, params)).transpose();
    let restored = restored.map_err(|reason| Error::State { reason })?;
    let (factors, start_info, so_far) = match restored {
        Some(Restored::Factors { factors, start, refine })
            if refine.is_some() || params.refine.is_none() =>
        {
            return Ok((factors, start, refine));
        }
        Some(Restored::Factors { factors, start, .. }) => (factors, start, None),
        Some(Restored::Refine { factors, start, so_far }) => (factors, start, Some(so_far)),
        Some(Restored::Basis(earlier)) => begin(problem, params, Some(earlier), ctx)?,
        None => begin(problem, params, None, ctx)?,
    };
    let Some(refine_params) = &params.refine else { return Ok((factors, start_info, None)) };
    let (losses, spread) = match &so_far {
        Some(so_far) => (so_far.point.losses.clone(), so_far.point.spread.clone()),
        None => {
            let Quality { losses, spread, .. } = quality(problem, &factors, ctx);
            (losses, spread)
        }
    };
    let task = RefineTask {
        params: refine_params,
        ridge: &row_prior(problem, &losses, &spread, params.missing_ridge),
        losses: &losses,
        spread: &spread,
        start: &start_info,
    };
    let (factors, info) = refine(problem, factors, &task, so_far, ctx)?;
    ctx.boundary(|| {
        let point = Point::Factors { start: start_info.clone(), refine: Some(info.clone()) };
        Draft::of_factors(problem.passes_of_each(), point, &factors)
    });
    Ok((factors, start_info, Some(info)))
}

/// Finds factors, and offers them to be kept.
#[allow(clippy::type_complexity, reason = "the three values a state of the refinement has too")]
fn begin<T: Real>(
    problem: &Problem<'_>,
    params: &CheckedParams,
    earlier: Option<BasisSoFar<T>>,
    ctx: &Context<'_>,
) -> Result<(FullFactors<T>, StartInfo, Option<RefineSoFar<T>>), Error> {
    let (factors, info) = start::<T>(problem, params, earlier, ctx)?;
    ctx.boundary(|| {
        let point = Point::Factors { start: info.clone(), refine: None };
        Draft::of_factors(problem.passes_of_each(), point, &factors)
    });
    Ok((factors, info, None))
}

fn fit_once<T: Real>(
    graph: &Graph,
    specs: &[ViewSpec],
    params: &CheckedParams,
    state: Option<FitState>,
    ctx: &Context<'_>,
) -> Result<Model, Error> {
    let (nodes, reducer) = (graph.nodes().len(), ctx.reducer);
    let views = Views::build_rows(graph, specs, params.precision, reducer)?;
    let form = params.formed_columns(nodes);
    let problem = Problem::new(&views, params.preset.balance, form, params.seed, ctx)?;
    let (mut factors, start_info, refine_info) = factorise::<T>(&problem, params, state, ctx)?;
    ctx.done.fetch_add(problem.passes_done(), Ordering::Relaxed);
    let passes = start_info.inner_passes + problem.passes();
    if !canonical_form(&mut factors, &problem.weights, reducer) {
        return Err(Error::NotFinite { stage: Stage::Factors });
    }
    let quality = quality(&problem, &factors, ctx);
    let certificate = match &params.certificate {
        Some(certificate) => Some(measure(&problem, &factors.u, &factors.c, certificate, ctx)?),
        None => None,
    };
    ctx.tick(Stage::Loadings, passes, None)?;
    let fitted = fitted_views(&problem, &factors.c, &quality.losses, params.preset.balance);
    let total = problem.total();
    let loss: f64 = quality.losses.iter().zip(&problem.weights).map(|(l, w)| w * w * l).sum();
    let alone = reducer.local_rows(nodes).len() == nodes;
    let tables = (params.loadings && alone)
        .then(|| FoldInTables::new(&problem, &mut factors, quality, params.missing_ridge, ctx));
    let info = FitInfo {
        passes,
        relative_loss: (loss / total).max(0.0),
        complete_nodes: start_info.complete_nodes,
        blind_nodes: views.blind_nodes().to_vec(),
        imputed: None,
        warnings: warnings(&problem, &start_info.pencil, &start_info.dimension, &views),
        basis: start_info.basis,
        dimension: start_info.dimension,
        pencil: start_info.pencil,
        core_als: start_info.core_als,
        refine: refine_info,
        choice: None,
    };
    Ok(Model {
        nodes: graph.nodes().clone(),
        factors: Numbers::from_tall(factors.u),
        views: fitted,
        params: (**params).clone(),
        info,
        certificate,
        tables,
        columns: graph
            .blocks()
            .iter()
            .filter_map(|block| Some((block.name.clone(), block.columns.clone()?)))
            .collect(),
        encodings: Some(graph.encodings()),
        relations: Some(graph.relations()),
    })
}

fn check_sizes(nodes: usize, params: &CheckedParams) -> Result<(), Error> {
    if nodes < 2 {
        return Err(Error::TooFewNodes { least: 2, found: nodes });
    }
    let found = params.dimension.most();
    let fixed = matches!(params.dimension, crate::Dimension::Fixed(_));
    if found == 0 || (fixed && found > nodes) {
        return Err(Error::Dimension { most: nodes, found });
    }
    Ok(())
}

/// The views of the model, with coefficients in the units the preset speaks of.
fn fitted_views(
    problem: &Problem<'_>,
    c: &[Vec<f64>],
    losses: &[f64],
    balance: bool,
) -> Vec<FittedView> {
    let views = problem.views.views().iter().enumerate();
    views
        .map(|(k, view)| {
            let norm = problem.norms[k];
            let gram_norm = norm.value * view.data_scale().powi(2);
            let unit = if balance { 1.0 } else { gram_norm };
            FittedView {
                name: view.name.clone(),
                weight: view.weight,
                share: view.share,
                uses_links: view.uses_links(),
                observed: problem.ops[k].observed() as usize,
                columns: view.cols(),
                gram_norm,
                gram_norm_exact: norm.exact,
                balanced: balance,
                relative_loss: losses[k].max(0.0),
                coefficients: c[k].iter().map(|c| c * unit).collect(),
            }
        })
        .collect()
}

fn warnings(
    problem: &Problem<'_>,
    pencil: &crate::solver::PencilInfo,
    dimension: &crate::solver::DimensionInfo,
    views: &Views,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if pencil.rank < dimension.columns {
        warnings.push(format!(
            "the views have rank {}, so columns {} to {} of {} are zero",
            pencil.rank,
            pencil.rank + 1,
            dimension.columns,
            dimension.columns
        ));
    }
    if !dimension.goal_met {
        warnings.push(format!(
            "the goal for the dimension was not met with {} columns (reached {:.3})",
            dimension.columns,
            dimension.reached.unwrap_or(f64::NAN)
        ));
    }
    for (k, view) in views.views().iter().enumerate() {
        if problem.norms[k].value == 0.0 {
            warnings
                .push(format!("view `{}` tells no two nodes apart and has no effect", view.name));
        }
    }
    let blind = views.blind_nodes();
    if let Some(first) = blind.first() {
        warnings.push(format!(
            "{} nodes have no view at all (the first at position {first}); their rows are zero",
            blind.len()
        ));
    }
    warnings
}
