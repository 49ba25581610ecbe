//! `gage evaluate`: how good an embedding is, measured with fair splits.

mod classify;
mod cluster;
mod embedding;
mod labels;
mod links;
mod sweep;
mod tune;

pub(crate) use embedding::check_finite;

use gage_embed::eval::Spread;
use gage_embed::{FitParams, Graph};

use super::embed::{direction, direction_warning};
use super::{Loaded, Session};
use crate::args::evaluate::{EvaluateArgs, EvaluateCommand, FitArgs};
use crate::args::{DataArgs, Dim};

pub(crate) fn run(args: &EvaluateArgs, session: &Session) -> anyhow::Result<()> {
    match &args.task {
        EvaluateCommand::Classify(args) => classify::run(args, session),
        EvaluateCommand::Links(args) => links::run(args, session),
        EvaluateCommand::Cluster(args) => cluster::run(args, session),
        EvaluateCommand::Sweep(args) => sweep::run(args, session),
        EvaluateCommand::Tune(args) => tune::run(args, session),
    }
}

/// Reads a data set to fit; says so if its directions were guessed.
fn load(data: &DataArgs, session: &Session) -> anyhow::Result<Loaded> {
    let mut dataset = session.load(data)?;
    if let Some(warning) = direction_warning(&dataset.graph, data.directed) {
        session.out.remarks("warning", std::slice::from_ref(&warning));
        dataset.warnings.push(warning);
    }
    Ok(dataset)
}

/// The fit of an experiment. Tables for new nodes are not made: nobody will ask for them.
fn fit_params(
    data: &DataArgs,
    fit: &FitArgs,
    graph: &Graph,
    seed: u64,
) -> anyhow::Result<FitParams> {
    Ok(FitParams {
        directed: direction(data.directed),
        weights: fit.weights.clone(),
        dimension: Dim::dimension(fit.dim, graph.nodes().len()),
        precision: fit.precision.into(),
        seed,
        loadings: false,
        ..FitParams::preset(fit.preset.name())?
    })
}

/// A mean and its standard deviation, as every table shows them.
fn spread(value: &Spread) -> String {
    format!("{:.4} ± {:.4}", value.mean, value.deviation)
}

/// A share in percent.
fn percent(share: f64) -> String {
    format!("{}%", (share * 1e4).round() / 1e2)
}

/// A row of a table.
fn row<S: ToString>(cells: impl IntoIterator<Item = S>) -> Vec<String> {
    cells.into_iter().map(|cell| cell.to_string()).collect()
}
