//! `gage evaluate sweep`.

use std::path::Path;

use gage_embed::eval::{
    ClassifyParams, ClusterParams, LogisticParams, SweepReport, SweepTask, TrainSize, even_lambdas,
    sweep,
};
use gage_plot::chart::{Chart, Line};
use serde::Serialize;

use super::format::{row, spread};
use crate::args::evaluate::{SweepArgs, TaskArg};
use crate::errors::Failure;
use crate::interrupt;
use crate::output::{count, table};
use crate::session::Session;
use crate::staging::Staging;

#[derive(Serialize)]
struct Report {
    data: String,
    task: TaskArg,
    nodes: usize,
    preset: String,
    shuffles: usize,
    seed: u64,
    #[serde(skip)]
    outputs: Vec<String>,
    #[serde(flatten)]
    result: SweepReport,
}

pub(crate) fn run(args: &SweepArgs, session: &Session) -> anyhow::Result<()> {
    let mut staging = Staging::new(args.data.inputs()?);
    let plot = args.output.as_deref();
    if let Some(path) = plot
        && !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"))
    {
        let message = format!("{}: found no known extension for a plot", path.display());
        return Err(Failure::usage(message).help("end the name in .svg").into());
    }
    let target = plot.map(|path| staging.claim(path)).transpose()?;
    let dataset = session.load_for_fit(&args.data)?;
    if args.task == TaskArg::Classify && dataset.graph.labels().is_none() {
        let message = format!("{}: found no labels, expected some to predict", args.data.title());
        return Err(Failure::misfit(message).help("give them with --labels").into());
    }
    let request = args.fit.request(&args.data, session.seed)?;
    let params = request.params(dataset.graph.nodes().len())?.check()?;
    let steps = session.steps("every lambda");
    let lambdas = even_lambdas(usize::from(args.steps));
    let result = sweep(&dataset.graph, &params, &lambdas, &task(args, session.seed), &steps)?;
    drop(steps);
    interrupt::check()?;
    if let Some(target) = &target {
        let picture = chart(args, &params.preset.name, &result).svg();
        staging.write(target, |out| out.write_all(picture.as_bytes()))?;
    }
    staging.commit()?;
    let report = Report {
        data: args.data.title(),
        task: args.task,
        nodes: dataset.graph.nodes().len(),
        preset: params.preset.name.clone(),
        shuffles: args.shuffles,
        seed: session.seed,
        outputs: plot.map(|path| path.display().to_string()).into_iter().collect(),
        result,
    };
    session.out.result(&report.outputs, &report, || text(&report))
}

fn task(args: &SweepArgs, seed: u64) -> SweepTask {
    match args.task {
        TaskArg::Classify => SweepTask::Classify(ClassifyParams {
            train: args.train.iter().map(|share| TrainSize::Share(share.0)).collect(),
            shuffles: args.shuffles,
            logistic: LogisticParams { c: args.c, ..LogisticParams::default() },
            seed,
        }),
        TaskArg::Links => SweepTask::Links(args.links.experiment(args.shuffles, seed)),
        TaskArg::Cluster => SweepTask::Cluster(ClusterParams {
            clusters: args.clusters,
            shuffles: args.shuffles,
            seed,
            ..ClusterParams::default()
        }),
    }
}

fn chart(args: &SweepArgs, preset: &str, result: &SweepReport) -> Chart {
    let lines = result.series.iter().map(|series| {
        let values = series.values.iter().zip(&result.lambdas);
        Line::new(
            &series.measure,
            values.map(|(value, &lambda)| (lambda, value.mean, value.deviation)),
        )
    });
    let data = args.data.title();
    let name = Path::new(&data).file_stem().map_or(data.clone(), |s| s.to_string_lossy().into());
    Chart {
        title: format!("{name}, preset {preset}"),
        x_label: result.ends.to_string(),
        y_label: "mean, with one standard deviation".to_owned(),
        lines: lines.collect(),
        ..Chart::default()
    }
}

fn text(report: &Report) -> String {
    let result = &report.result;
    let fits =
        if result.fits == 1 { "one fit".to_owned() } else { format!("{} fits", result.fits) };
    let mut text = format!(
        "{} nodes, preset {}, {} lambdas from {fits}; {} shuffles\n",
        count(report.nodes),
        report.preset,
        result.lambdas.len(),
        report.shuffles
    );
    text.push_str(&format!("{}; all views have part in one fit\n", result.ends));
    let header = std::iter::once("lambda").chain(result.series.iter().map(|s| s.measure.as_str()));
    let mut rows = vec![row(header)];
    for (at, lambda) in result.lambdas.iter().enumerate() {
        let lambda = format!("{}", (lambda * 1e4).round() / 1e4);
        let values = result.series.iter().map(|series| spread(&series.values[at]));
        rows.push(std::iter::once(lambda).chain(values).collect());
    }
    text.push_str(&table(&rows));
    for best in &result.best {
        let lambda = (best.lambda * 1e4).round() / 1e4;
        text.push_str(&format!("largest {}: {} at {lambda}\n", best.measure, spread(&best.value)));
    }
    if !report.outputs.is_empty() {
        text.push_str(&format!("wrote {}\n", report.outputs.join(", ")));
    }
    text
}
