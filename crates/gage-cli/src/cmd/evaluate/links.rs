//! `gage evaluate links`.

use gage_embed::eval::{EvalError, LinkExperimentReport, StillLinked, link_experiment};
use gage_embed::{FitParams, fit_with};
use serde::Serialize;

use super::format::{percent, row, spread};
use crate::args::evaluate::LinksArgs;
use crate::output::{count, table};
use crate::session::Session;

#[derive(Serialize)]
struct Report {
    data: String,
    nodes: usize,
    columns: usize,
    preset: String,
    /// share of each view in the embedding
    shares: Vec<(String, f64)>,
    remove: f64,
    shuffles: usize,
    seed: u64,
    #[serde(flatten)]
    result: LinkExperimentReport,
}

pub(crate) fn run(args: &LinksArgs, session: &Session) -> anyhow::Result<()> {
    let dataset = session.load_for_fit(&args.data)?;
    let request = args.fit.request(&args.data, session.seed)?;
    let params = request.params(dataset.graph.nodes().len())?;
    let lambda = args.lambda.lambda();
    let task = args.task.experiment(args.shuffles, session.seed);
    let steps = session.steps("hiding and scoring");
    let (mut columns, mut shares) = (0, Vec::new());
    let result = link_experiment(&dataset.graph, &task, &steps, |graph, seed| {
        let params = FitParams { seed, ..params.clone() }.check().map_err(EvalError::from)?;
        let model = fit_with(graph, params, &steps)?;
        columns = model.dimension();
        let names = model.views().iter().map(|view| view.name.clone());
        shares = names.zip(model.shares(&lambda)?).collect();
        anyhow::Ok(model.embedding(&lambda)?)
    })?;
    drop(steps);
    let told: Vec<String> = result.still_linked.iter().map(still_linked).collect();
    session.out.warnings(&told);
    let report = Report {
        data: args.data.title(),
        nodes: dataset.graph.nodes().len(),
        columns,
        preset: params.preset.name,
        shares,
        remove: task.remove,
        shuffles: task.shuffles,
        seed: session.seed,
        result,
    };
    session.out.result(&[], &report, || text(&report))
}

fn still_linked(other: &StillLinked) -> String {
    format!(
        "the relation `{}` still joins {} of the hidden pairs, so links are easier to find than \
         they look",
        other.block,
        count(other.pairs)
    )
}

fn text(report: &Report) -> String {
    let result = &report.result;
    let shares: Vec<String> =
        report.shares.iter().map(|(name, share)| format!("{name} {share:.3}")).collect();
    let mut text = format!(
        "{} nodes x {} columns, preset {}, shares: {}\n{} of the {}links of `{}` hidden ({}) \
         against as many other pairs; {} shuffles\n",
        count(report.nodes),
        report.columns,
        report.preset,
        shares.join(", "),
        percent(report.remove),
        if result.directed { "directed " } else { "" },
        result.block,
        count(result.hidden),
        report.shuffles,
    );
    let mut rows = vec![row(["scored by", "AUC", "AP"])];
    rows.extend(result.results.iter().map(|result| {
        let (auc, precision) = (spread(&result.auc), spread(&result.average_precision));
        vec![result.score.name().to_owned(), auc, precision]
    }));
    text.push_str(&table(&rows));
    text
}
