//! `gage evaluate new-nodes`.

use gage_embed::eval::{LogisticParams, NewNodesParams, NewNodesReport, evaluate_new_nodes};
use serde::Serialize;

use super::format::{row, spread};
use crate::args::evaluate::NewNodesArgs;
use crate::errors::Failure;
use crate::output::{count, table};
use crate::session::Session;

#[derive(Serialize)]
struct Report {
    data: String,
    nodes: usize,
    preset: String,
    hold_out: f64,
    shuffles: usize,
    c: f64,
    seed: u64,
    #[serde(flatten)]
    result: NewNodesReport,
}

pub(crate) fn run(args: &NewNodesArgs, session: &Session) -> anyhow::Result<()> {
    let dataset = session.load_for_fit(&args.data)?;
    let Some(labels) = dataset.graph.labels() else {
        let message = format!("{}: found no labels, expected some to predict", args.data.title());
        return Err(Failure::misfit(message).help("give them with --labels").into());
    };
    let nodes = dataset.graph.nodes().len();
    let fitted = nodes - (args.hold_out.0 * nodes as f64).round() as usize;
    let fit = args.fit.request(&args.data, session.seed)?.params(fitted)?;
    let params = NewNodesParams {
        fit,
        lambda: args.lambda.lambda(),
        hold_out: args.hold_out.0,
        shuffles: args.shuffles,
        logistic: LogisticParams { c: args.c, ..LogisticParams::default() },
        seed: session.seed,
    };
    let steps = session.steps("holding out and folding in");
    let result = evaluate_new_nodes(&dataset.graph, labels, &params, &steps)?;
    drop(steps);
    let report = Report {
        data: args.data.title(),
        nodes,
        preset: params.fit.preset.name,
        hold_out: params.hold_out,
        shuffles: params.shuffles,
        c: args.c,
        seed: session.seed,
        result,
    };
    session.out.result(&[], &report, || text(&report))
}

fn text(report: &Report) -> String {
    let result = &report.result;
    let mut text = format!(
        "{} nodes x {} columns, preset {}; {} fitted, {} held out; {} shuffles, C {}\n",
        count(report.nodes),
        result.columns,
        report.preset,
        count(result.fitted),
        count(result.held_out),
        report.shuffles,
        report.c,
    );
    let head = ["known of a new node", "folded in", "fitted", "difference", "length"];
    let mut rows = vec![row(head)];
    rows.extend(result.results.iter().map(|found| {
        vec![
            found.known.name().to_owned(),
            spread(&found.folded_in),
            spread(&found.fitted),
            spread(&found.difference),
            format!("{:.3}", found.length.mean),
        ]
    }));
    text.push_str(&table(&rows));
    text.push_str(&format!(
        "micro F1; length relative to fitted rows\ndata of fitted nodes: cosine with their rows \
         {:.4}, length {:.3}\n",
        result.own.cosine.mean, result.own.length.mean
    ));
    text
}
