//! `gage evaluate cluster`.

use gage_embed::eval::{ClusterExperimentReport, ClusterParams, cluster};
use serde::Serialize;

use super::format::{row, spread};
use crate::args::evaluate::{ClusterArgs, EmbeddingArgs};
use crate::labels;
use crate::output::{count, table};
use crate::session::Session;
use crate::source::Source;

#[derive(Serialize)]
struct Report {
    embedding: String,
    labels: Option<String>,
    columns: usize,
    shuffles: usize,
    seed: u64,
    #[serde(flatten)]
    result: ClusterExperimentReport,
}

pub(crate) fn run(args: &ClusterArgs, session: &Session) -> anyhow::Result<()> {
    let EmbeddingArgs { embedding, lambda } = &args.embedding;
    let (nodes, numbers) =
        Source::read(embedding, lambda, session)?.into_rows(embedding, lambda)?;
    let labels = args
        .labels
        .as_deref()
        .map(|path| labels::read(path, &nodes, &args.join, session))
        .transpose()?;
    let params = ClusterParams {
        clusters: args.clusters,
        shuffles: args.shuffles,
        restarts: args.restarts,
        silhouette_sample: args.sample,
        seed: session.seed,
    };
    let steps = session.steps("clustering");
    let result = cluster(&numbers, labels.as_ref(), &params, &steps)?;
    drop(steps);
    let report = Report {
        embedding: embedding.display().to_string(),
        labels: args.labels.as_ref().map(|path| path.display().to_string()),
        columns: numbers.cols(),
        shuffles: args.shuffles,
        seed: session.seed,
        result,
    };
    session.out.result(&[], &report, || text(&report))
}

fn text(report: &Report) -> String {
    let result = &report.result;
    let mut text = format!(
        "{} nodes x {} columns in {} clusters, {} labelled; {} shuffles\n",
        count(result.nodes),
        report.columns,
        result.clusters,
        count(result.labelled),
        report.shuffles,
    );
    let over = format!("silhouette of {} nodes", count(result.silhouette_nodes));
    let measures = [
        ("NMI", &result.nmi),
        ("ARI", &result.ari),
        ("accuracy", &result.accuracy),
        (&over, &result.silhouette),
    ];
    let found = measures.into_iter().filter_map(|(name, value)| {
        value.as_ref().map(|value| row([name.to_owned(), spread(value)]))
    });
    text.push_str(&table(&found.collect::<Vec<_>>()));
    text
}
