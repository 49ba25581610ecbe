//! The fit: the only place that calls its stages, by name and in their order.

use std::time::Instant;

use crate::cost::{Cost, ProblemSize};
use crate::error::Error;
use crate::fingerprint::fingerprint;
use crate::graph::Graph;
use crate::impute::Imputation;
use crate::model::{
    FoldInTables, LambdaEnds, Model, Outcome, canonical_form, measure, model_from_stages,
    tables_cost,
};
use crate::params::{CheckedParams, FitParams, specs, unused_blocks};
use crate::preset_selection::Selection;
use crate::progress::Stage;
use crate::solver::{
    BasisState, BasisTask, Checkpointer, Context, CoreAlsParams, FitCheckpoint, FitContext,
    FullFactors, InitialInfo, Problem, RefineTask, Stages, basis_cost, choose_dimension, core_als,
    expand, expand_cost, find_basis, on_complete_nodes, pencil, quality, refine, refine_cost,
    solve_incomplete_rows,
};
use crate::views::{Preset, ViewRecipe, ViewSpec, Views};
use gage_linalg::{Precision, Real};

/// Views of a graph, built and measured, ready to be fitted.
#[derive(Debug)]
pub struct Prepared<'a> {
    pub(crate) graph: &'a Graph,
    /// Parameters as they were given, with a preset that selects views; they identify the fit.
    pub(crate) requested: CheckedParams,
    /// The same with a preset of fixed views.
    pub(crate) params: CheckedParams,
    pub(crate) selection: Option<Selection>,
    pub(crate) specs: Vec<ViewSpec>,
    pub(crate) views: Views,
    pub(crate) size: ProblemSize,
    pub(crate) cost: Cost,
    /// What building the views took.
    pub(crate) build_seconds: f64,
}

/// What a fit that may have been resumed did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitWork {
    /// Passes over each view made in this run, all rounds of estimating missing entries together.
    /// The passes in [`FitInfo`](crate::model::FitInfo) are those a fit without interruption makes.
    pub passes: usize,
    /// The stage it went on from, if not from the beginning.
    pub resumed: Option<Stage>,
}

impl<'a> Prepared<'a> {
    /// Builds the views of parameters whose preset has fixed views.
    pub(crate) fn new(
        graph: &'a Graph,
        params: CheckedParams,
        ctx: &FitContext<'_>,
    ) -> Result<Prepared<'a>, Error> {
        let clock = Instant::now();
        let specs = specs(graph, &params)?;
        let views =
            Views::build_rows(graph, &specs, params.precision, ctx.reducer, &ctx.workspace)?;
        let build_seconds = clock.elapsed().as_secs_f64();
        let size = ProblemSize::new(graph, &views, &params);
        let cost = fit_cost(&size, &params);
        let requested = params.clone();
        let selection = None;
        Ok(Prepared {
            graph,
            requested,
            params,
            selection,
            specs,
            views,
            size,
            cost,
            build_seconds,
        })
    }

    /// What the preset selected, if it selects views.
    pub fn selection(&self) -> Option<&Selection> {
        self.selection.as_ref()
    }

    /// The views as data, which give the same fit when they are given by hand.
    pub fn recipe(&self) -> ViewRecipe {
        let Preset { balance, scale, .. } = self.params.preset;
        ViewRecipe { balance, scale, views: self.specs.clone() }
    }

    /// The views that lambda divides between.
    pub fn lambda_ends(&self) -> LambdaEnds {
        let views = self.views.views().iter();
        LambdaEnds::new(views.map(|view| (view.name.as_str(), view.uses_links())))
    }

    /// The views.
    pub fn views(&self) -> &Views {
        &self.views
    }

    /// Whether a checkpoint is of this fit: of the same graph and parameters, by this version.
    pub fn accepts(&self, checkpoint: &FitCheckpoint) -> bool {
        checkpoint.header.fingerprint == fingerprint(self.graph, &self.requested)
    }

    /// Fits the model.
    pub fn fit(self, ctx: &FitContext<'_>) -> Result<Model, Error> {
        Ok(self.resume(None, ctx)?.0)
    }

    /// As [`fit`](Self::fit), resuming from a checkpoint if there is one. A resumed fit ends
    /// in the same bits as one that was never interrupted (on the same kind of processor; the
    /// number of threads may differ).
    ///
    /// A checkpoint of other data, other parameters or another version of the program is refused
    /// with [`Error::State`].
    pub fn resume(
        self,
        checkpoint: Option<FitCheckpoint>,
        ctx: &FitContext<'_>,
    ) -> Result<(Model, FitWork), Error> {
        // The data are read once for it, so only where it is needed.
        let fingerprint = match (&checkpoint, ctx.checkpoints) {
            (None, None) => String::new(),
            _ => fingerprint(self.graph, &self.requested),
        };
        if checkpoint.as_ref().is_some_and(|found| found.header.fingerprint != fingerprint) {
            let reason = "belongs to other data, other parameters or another version".to_owned();
            return Err(Error::State { reason });
        }
        let rounds = || match self.params.precision {
            Precision::F32 => self.rounds::<f32>(checkpoint, &fingerprint, ctx),
            Precision::F64 => self.rounds::<f64>(checkpoint, &fingerprint, ctx),
        };
        Error::catch_memory(|| Stage::Views, rounds)
    }

    /// Fits, estimates single missing entries from the model, and fits again until they settle.
    fn rounds<T: Real>(
        self,
        mut checkpoint: Option<FitCheckpoint>,
        fingerprint: &str,
        fit_ctx: &FitContext<'_>,
    ) -> Result<(Model, FitWork), Error> {
        let Prepared { graph, params, specs, mut views, .. } = self;
        let FitContext { observer, reducer, ref workspace, checkpoints } = *fit_ctx;
        let build = |filled: &Graph| {
            Views::build_rows(filled, &specs, params.precision, reducer, workspace)
        };
        let mut work =
            FitWork { passes: 0, resumed: checkpoint.as_ref().map(FitCheckpoint::stage) };
        let mut imputation =
            Imputation::new(graph, &specs, params.impute_rounds, checkpoint.as_mut(), reducer)?;
        if let Some(filled) = imputation.filled() {
            drop(views);
            views = build(filled)?;
        }
        loop {
            let _pooled = workspace.pool_guard();
            let ctx = Context::new(reducer, observer, workspace, self.cost.passes);
            let checkpointer = Checkpointer::new(checkpoints, fingerprint, imputation.round());
            let resumed = checkpoint.take();
            let mut model = Error::catch_memory(
                || ctx.stage(),
                || fit_views::<T>(graph, &views, &params, (checkpointer, resumed), &ctx),
            )?;
            drop(views);
            work.passes += ctx.passes_done();
            if imputation.settled() {
                model.learn_partial_rows::<T>(graph, &specs)?;
                model.info.warnings.extend(unused_blocks(graph, &params, &specs));
                model.info.imputed = imputation.info();
                model.info.choice = self.selection;
                return Ok((model, work));
            }
            let filled = imputation.refill(model.factors())?;
            views = build(filled)?;
        }
    }
}

/// One fit of views: every stage takes the values of those before it.
fn fit_views<T: Real>(
    graph: &Graph,
    views: &Views,
    params: &CheckedParams,
    (checkpointer, checkpoint): (Checkpointer<'_>, Option<FitCheckpoint>),
    ctx: &Context<'_>,
) -> Result<Model, Error> {
    let explicit = params.explicit_gram_columns(views.nodes());
    let problem = Problem::new(views, params.preset.balance, explicit, params.seed, ctx)?;
    let mut stages = Stages::<T>::new(&problem, params, checkpointer, checkpoint)?;
    let (mut factors, initial) = stages.initial(|resumed, checkpointer| {
        initial_factors(&problem, params, resumed, checkpointer, ctx)
    })?;
    let mut refined = None;
    if let Some(refine_params) = &params.refine {
        let task = RefineTask::new(refine_params, params.missing_ridge, &initial);
        let info;
        (factors, info) = stages.refined(factors, &initial, |factors, resumed, checkpointer| {
            refine(&problem, factors, &task, resumed, checkpointer, ctx)
        })?;
        refined = Some(info);
    }
    let passes = initial.inner_passes + problem.passes();
    ctx.count_passes(problem.passes_done());
    canonical_form(&mut factors, &problem.weights, ctx.reducer)?;
    let quality = quality(&problem, &factors, ctx);
    let certificate = params.certificate.as_ref();
    let certificate = certificate
        .map(|certificate| measure(&problem, &factors.u, &factors.c, certificate, ctx))
        .transpose()?;
    ctx.report(Stage::Loadings, passes, None)?;
    let tables = (params.loadings && ctx.is_alone())
        .then(|| FoldInTables::new(&problem, &mut factors, &quality, params.missing_ridge, ctx));
    let losses = quality.losses;
    let outcome = Outcome { passes, initial, refined, losses, certificate, tables };
    Ok(model_from_stages(graph, params, &problem, factors, outcome))
}

/// Factors of all nodes from the core tensor, which is made on the nodes that have every view if
/// these are enough.
fn initial_factors<T: Real>(
    problem: &Problem<'_>,
    params: &CheckedParams,
    resumed: Option<BasisState<T>>,
    checkpointer: &Checkpointer<'_>,
    ctx: &Context<'_>,
) -> Result<(FullFactors<T>, InitialInfo), Error> {
    let complete = problem.complete_nodes();
    let inner = on_complete_nodes(problem, complete.as_ref(), params, ctx);
    let on = inner.as_ref().unwrap_or(problem);
    let (basis, basis_info) = find_basis(&BasisTask::new(on, params), resumed, checkpointer, ctx)?;
    let core_tensor = basis.core_tensor();
    let dimension = choose_dimension(on, &basis, params.dimension, params.seed, ctx)?;
    let columns = dimension.columns;
    let (core_factors, pencil) = pencil(core_tensor, columns);
    let (core_factors, core_als) =
        core_als(core_tensor, core_factors, CoreAlsParams::new(params.core_sweeps));
    ctx.report(Stage::Factors, basis_info.passes, core_als.loss_history.last().copied())?;
    let mut factors = expand(on, basis, core_factors, columns, params, ctx);
    if complete.is_some() {
        let ridge = params.missing_ridge;
        factors = solve_incomplete_rows(problem, inner.as_ref(), factors, ridge, ctx)?;
    }
    ctx.count_passes(inner.as_ref().map_or(0, Problem::passes_done));
    let info = InitialInfo {
        basis: basis_info,
        dimension,
        pencil,
        core_als,
        complete_nodes: inner.as_ref().map(|inner| inner.ops[0].observed() as usize),
        inner_passes: inner.as_ref().map_or(0, Problem::passes),
    };
    Ok((factors, info))
}

/// What the stages above cost together.
fn fit_cost(size: &ProblemSize, params: &FitParams) -> Cost {
    let basis = basis_cost(size, &params.basis);
    let expand = expand_cost(size, size.basis_width(&params.basis), params);
    let refine = params.refine.map_or(Cost::default(), |refine| refine_cost(size, &refine));
    let tables = params.loadings.then(|| tables_cost(size, size.basis_width(&params.basis)));
    basis.then(expand).then(refine).then(tables.unwrap_or_default())
}
