//! A model from what the stages found.

use crate::graph::Graph;
use crate::params::CheckedParams;
use crate::solver::{FullFactors, InitialInfo, Problem, RefineInfo};
use gage_linalg::{AnyTall, Real};

use super::certificate::Certificate;
use super::fitted_model::{FitInfo, Model};
use super::fitted_view::FittedView;
use super::fold_in_tables::FoldInTables;

/// What the stages found besides the factors.
pub(crate) struct Outcome {
    pub(crate) passes: usize,
    pub(crate) initial: InitialInfo,
    pub(crate) refined: Option<RefineInfo>,
    /// Absolute losses of the views.
    pub(crate) losses: Vec<f64>,
    pub(crate) certificate: Option<Certificate>,
    pub(crate) tables: Option<FoldInTables>,
}

/// The model of factors in canonical form.
pub(crate) fn model_from_stages<T: Real>(
    graph: &Graph,
    params: &CheckedParams,
    problem: &Problem<'_>,
    factors: FullFactors<T>,
    outcome: Outcome,
) -> Model {
    let columns = graph.blocks().iter();
    let columns = columns.filter_map(|block| Some((block.name.clone(), block.columns.clone()?)));
    let views = fitted_views(problem, &factors.c, &outcome.losses, params.preset.balance);
    let Outcome { passes, initial, refined, losses, certificate, tables } = outcome;
    let loss: f64 = losses.iter().zip(&problem.weights).map(|(l, w)| w * w * l).sum();
    let info = FitInfo {
        passes,
        relative_loss: (loss / problem.total()).max(0.0),
        complete_nodes: initial.complete_nodes,
        unobserved_nodes: problem.views.unobserved_nodes().to_vec(),
        imputed: None,
        warnings: warnings(problem, &initial),
        basis: initial.basis,
        dimension: initial.dimension,
        pencil: initial.pencil,
        core_als: initial.core_als,
        refine: refined,
        choice: None,
    };
    Model {
        nodes: graph.nodes().clone(),
        factors: AnyTall::from(factors.u),
        views,
        params: (**params).clone(),
        info,
        certificate,
        tables,
        columns: columns.collect(),
        encodings: Some(graph.encodings()),
        relations: Some(graph.relations()),
        appended: 0,
        annotations: std::collections::BTreeMap::new(),
    }
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
                source_columns: view.source_columns(),
                gram_norm,
                gram_norm_exact: norm.exact,
                balanced: balance,
                relative_loss: losses[k].max(0.0),
                coefficients: c[k].iter().map(|c| c * unit).collect(),
            }
        })
        .collect()
}

fn warnings(problem: &Problem<'_>, initial: &InitialInfo) -> Vec<String> {
    let InitialInfo { pencil, dimension, .. } = initial;
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
    for (view, norm) in problem.views.views().iter().zip(&problem.norms) {
        if norm.value == 0.0 {
            warnings
                .push(format!("view `{}` tells no two nodes apart and has no effect", view.name));
        }
    }
    let unobserved = problem.views.unobserved_nodes();
    if let Some(first) = unobserved.first() {
        warnings.push(format!(
            "{} nodes have no view at all (the first at position {first}); their rows are zero",
            unobserved.len()
        ));
    }
    warnings
}
