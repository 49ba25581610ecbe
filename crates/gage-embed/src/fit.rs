//! The pipeline on one page: the only place that calls the stages, in their order.

use crate::certificate::measure;
use crate::embedding::{FitInfo, FittedView, FoldInTables, Model, canonical_form};
use crate::error::Error;
use crate::graph::Graph;
use crate::impute::{Missing, refill};
use crate::linalg::{LocalReducer, Numbers, Precision, Real, Reducer};
use crate::params::{CheckedParams, FitParams};
use crate::plan::planned_passes;
use crate::solver::{
    Context, NoObserver, Observer, Problem, Stage, losses_and_spread, refine, row_prior, start,
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
    match params.precision {
        Precision::F32 => fit_as::<f32>(graph, &params, observer, reducer),
        Precision::F64 => fit_as::<f64>(graph, &params, observer, reducer),
    }
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

fn fit_as<T: Real>(
    graph: &Graph,
    params: &CheckedParams,
    observer: &dyn Observer,
    reducer: &dyn Reducer,
) -> Result<Model, Error> {
    let specs = specs(graph, params)?;
    let missing = Missing::find(graph, &specs);
    if missing.is_empty() || params.impute_rounds == 0 {
        return fit_once::<T>(graph, &specs, params, observer, reducer);
    }
    // Single missing entries: fit, predict them from the model, and fit again.
    let mut model = fit_once::<T>(graph, &specs, params, observer, reducer)?;
    let mut change = f64::INFINITY;
    let mut filled = graph.clone();
    for _ in 0..params.impute_rounds {
        (filled, change) = refill(graph, &filled, &missing, model.factors(), reducer)?;
        model = fit_once::<T>(&filled, &specs, params, observer, reducer)?;
        if change < 1e-3 {
            break;
        }
    }
    model.info.imputed = Some((missing.count(), change));
    Ok(model)
}

fn fit_once<T: Real>(
    graph: &Graph,
    specs: &[ViewSpec],
    params: &CheckedParams,
    observer: &dyn Observer,
    reducer: &dyn Reducer,
) -> Result<Model, Error> {
    let nodes = graph.nodes().len();
    check_sizes(nodes, params)?;
    let ctx = Context { reducer, observer, planned_passes: planned_passes(params, nodes) };
    let views = Views::build_rows(graph, specs, params.precision, reducer)?;
    let problem = Problem::new(&views, params.preset.balance, params.seed, &ctx)?;
    let (mut factors, start_info) = start::<T>(&problem, params, &ctx)?;
    let mut refine_info = None;
    if let Some(refine_params) = &params.refine {
        let (losses, spread, _) = losses_and_spread(&problem, &factors, &ctx);
        let prior = row_prior(&problem, &losses, &spread, params.missing_ridge);
        let total = problem.total();
        let (refined, info) = refine(
            &problem.ops,
            &problem.weights,
            total,
            factors,
            &prior,
            refine_params,
            start_info.inner_passes + problem.passes(),
            &ctx,
        )?;
        factors = refined;
        refine_info = Some(info);
    }
    let passes = start_info.inner_passes + problem.passes();
    canonical_form(&mut factors, &problem.weights, reducer);
    if !factors.u.data().iter().all(|x| x.to_f64().is_finite()) {
        return Err(Error::NotFinite { stage: Stage::Factors });
    }
    let (losses, _, _) = losses_and_spread(&problem, &factors, &ctx);
    let certificate = match &params.certificate {
        Some(certificate) => Some(measure(&problem, &factors.u, &factors.c, certificate, &ctx)?),
        None => None,
    };
    ctx.tick(Stage::Loadings, passes, None)?;
    let alone = reducer.local_rows(nodes).len() == nodes;
    let tables = (params.loadings && alone)
        .then(|| FoldInTables::new(&problem, &mut factors, params.missing_ridge, &ctx));
    let fitted = fitted_views(&problem, &factors.c, &losses, params.preset.balance);
    let total = problem.total();
    let loss: f64 = losses.iter().zip(&problem.weights).map(|(l, w)| w * w * l).sum();
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
