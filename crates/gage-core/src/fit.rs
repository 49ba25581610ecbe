//! The pipeline on one page: the only place that calls the stages, in their order.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;
use crate::graph::Graph;
use crate::impute::{Missing, refill};
use crate::model::measure;
use crate::model::{FitInfo, FittedView, FoldInTables, Model, canonical_form};
use crate::params::{CheckedParams, Dimension, specs};
use crate::progress::{Observer, Stage};
use crate::solver::{
    BasisSoFar, Context, DimensionInfo, Draft, FitState, FullFactors, Keeping, PencilInfo, Point,
    Problem, Quality, RefineInfo, RefineSoFar, RefineTask, Restored, Round, StartInfo, StateKeeper,
    quality, refine, row_prior, start,
};
use crate::views::{ViewSpec, Views};
use gage_linalg::{AnyTall, Precision, Real, Reducer, Workspace};

/// What a fit that can be taken up again did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitWork {
    /// Passes over each view made in this run, all rounds of estimating missing entries together. The passes in
    /// [`FitInfo`] are those a fit without interruption makes.
    pub passes: usize,
    /// Where it went on from, if not from the beginning.
    pub resumed: Option<Stage>,
}

/// What stays the same over all rounds of a fit.
pub(crate) struct Run<'a> {
    pub(crate) params: &'a CheckedParams,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) reducer: &'a dyn Reducer,
    pub(crate) workspace: &'a Workspace,
    /// Who keeps states, and the fingerprint of the fit.
    pub(crate) keeper: Option<(&'a dyn StateKeeper, &'a str)>,
}

impl Run<'_> {
    pub(crate) fn fit(
        &self,
        graph: &Graph,
        state: Option<FitState>,
    ) -> Result<(Model, FitWork), Error> {
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
        let planned = self.params.planned_passes(nodes);
        let mut ctx = Context::new(self.reducer, self.observer, self.workspace, planned);
        ctx.keeping = self.keeper.map(|(keeper, fingerprint)| Keeping {
            keeper,
            fingerprint,
            round,
            kept: AtomicBool::new(false),
        });
        let _pooled = self.workspace.pool_guard();
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
    let views = Views::build_rows(graph, specs, params.precision, reducer, ctx.workspace)?;
    let form = params.explicit_gram_columns(nodes);
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
        unobserved_nodes: views.unobserved_nodes().to_vec(),
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
        factors: AnyTall::from(factors.u),
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
    let fixed = matches!(params.dimension, Dimension::Fixed(_));
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
    pencil: &PencilInfo,
    dimension: &DimensionInfo,
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
    let unobserved = views.unobserved_nodes();
    if let Some(first) = unobserved.first() {
        warnings.push(format!(
            "{} nodes have no view at all (the first at position {first}); their rows are zero",
            unobserved.len()
        ));
    }
    warnings
}
