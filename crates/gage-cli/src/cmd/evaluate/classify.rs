//! `gage evaluate classify`.

use gage_embed::eval::{
    ClassifyParams, ClassifyReport, EvalError, EvalObserver, LogisticParams, Protocol,
    ProtocolReport, TrainSize, classify_protocol, classify_with,
};
use gage_embed::{AnyTall, Labels, Tall};
use gage_linalg::Real;
use serde::Serialize;

use super::format::{percent, row, spread};
use super::published::{Published, published};
use crate::args::evaluate::{ClassesArg, ClassifyArgs, EmbeddingArgs};
use crate::labels;
use crate::output::{count, table};
use crate::session::Session;
use crate::source::Source;

#[derive(Serialize)]
struct Report {
    embedding: String,
    labels: String,
    nodes: usize,
    columns: usize,
    shuffles: usize,
    c: f64,
    seed: u64,
    /// which of the two macro averages was requested; the results hold both
    macro_over: ClassesArg,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<WithPublished>,
    #[serde(flatten)]
    result: ClassifyReport,
}

/// How a protocol was followed, and what others published for it.
#[derive(Serialize)]
struct WithPublished {
    #[serde(flatten)]
    about: ProtocolReport,
    published: Vec<Published>,
}

pub(crate) fn run(args: &ClassifyArgs, session: &Session) -> anyhow::Result<()> {
    let EmbeddingArgs { embedding, lambda } = &args.embedding;
    let (nodes, numbers) =
        Source::read(embedding, lambda, session)?.into_rows(embedding, lambda)?;
    let labels = labels::read(&args.labels, &nodes, &args.join, session)?;
    let steps = session.steps("training and testing");
    let (about, result) = match &numbers {
        AnyTall::F32(tall) => run_on(tall, &labels, args, session.seed, &steps),
        AnyTall::F64(tall) => run_on(tall, &labels, args, session.seed, &steps),
    }?;
    drop(steps);
    let report = Report {
        embedding: embedding.display().to_string(),
        labels: args.labels.display().to_string(),
        nodes: numbers.rows(),
        columns: numbers.cols(),
        shuffles: args.shuffles,
        c: args.c,
        seed: session.seed,
        macro_over: args.classes,
        protocol: about.map(|about| {
            let published = published(about.name);
            WithPublished { about, published }
        }),
        result,
    };
    session.out.result(&[], &report, || text(&report))
}

/// Follows the protocol, if one was named.
fn run_on<T: Real>(
    rows: &Tall<T>,
    labels: &Labels,
    args: &ClassifyArgs,
    seed: u64,
    steps: &dyn EvalObserver,
) -> Result<(Option<ProtocolReport>, ClassifyReport), EvalError> {
    if let Some(protocol) = args.protocol.map(Protocol::from) {
        let runs = (args.shuffles, seed);
        let (about, result) = classify_protocol(rows, labels, protocol, runs, steps)?;
        return Ok((Some(about), result));
    }
    let params = ClassifyParams {
        train: args.train.iter().map(|share| TrainSize::Share(share.0)).collect(),
        shuffles: args.shuffles,
        logistic: LogisticParams { c: args.c, ..LogisticParams::default() },
        seed,
    };
    Ok((None, classify_with(rows, labels, &params, steps)?))
}

fn text(report: &Report) -> String {
    let result = &report.result;
    let mut text = format!(
        "{} nodes x {} columns, {} labelled, {} classes{}; {}\n",
        count(report.nodes),
        report.columns,
        count(result.labelled),
        result.classes,
        if result.multi_label { ", several labels a node" } else { "" },
        report.protocol.as_ref().map_or_else(
            || format!("{} shuffles, C {}", report.shuffles, report.c),
            |protocol| how(&protocol.about)
        ),
    );
    if !result.empty_classes.is_empty() {
        let names = result.empty_classes.join(", ");
        let what = match report.macro_over {
            ClassesArg::Filled => "left out of the macro average",
            ClassesArg::All => "counted as zero in the macro average",
        };
        text.push_str(&format!("classes without a member, {what}: {names}\n"));
    }
    let macro_name = match report.macro_over {
        ClassesArg::Filled => "macro F1".to_owned(),
        ClassesArg::All => format!("macro F1 of {} classes", result.classes),
    };
    let mut rows = vec![row(["trained on", "train", "test", "micro F1", &macro_name])];
    for result in &result.results {
        let trained = match result.train {
            TrainSize::Share(share) => percent(share),
            TrainSize::Count(count) => count.to_string(),
        };
        let macro_f1 = match report.macro_over {
            ClassesArg::Filled => &result.macro_f1,
            ClassesArg::All => &result.macro_f1_all_classes,
        };
        rows.push(vec![
            trained,
            count(result.train_nodes),
            count(result.test_nodes),
            spread(&result.micro_f1),
            spread(macro_f1),
        ]);
    }
    text.push_str(&table(&rows));
    let unconverged: usize = result.results.iter().map(|result| result.unconverged).sum();
    if unconverged > 0 {
        text.push_str(&format!("{unconverged} classifiers stopped short of the tolerance\n"));
    }
    if let Some(protocol) = &report.protocol {
        write_published(&protocol.published, &mut text);
    }
    text
}

/// How the protocol was followed.
fn how(about: &ProtocolReport) -> String {
    let split = if about.public_split {
        "the public split".to_owned()
    } else {
        format!("{} splits drawn", about.chosen_c.len())
    };
    let mut chosen: Vec<String> = about.chosen_c.iter().map(|c| format!("{c}")).collect();
    chosen.sort();
    chosen.dedup();
    let validation = count(about.validation_nodes);
    format!("{split}, C {} by {validation} validation nodes", chosen.join(", "))
}

/// What others published for the same protocol, in percent.
fn write_published(published: &[Published], text: &mut String) {
    if published.is_empty() {
        return;
    }
    let mut rows = vec![row(["published, %", "Cora", "CiteSeer", "PubMed", "source"])];
    rows.extend(published.iter().map(|found| {
        let number = |value: f64| format!("{value:.1}");
        let numbers = [found.cora, found.citeseer, found.pubmed].map(number);
        row([&found.method, &numbers[0], &numbers[1], &numbers[2], &found.source])
    }));
    text.push_str(&table(&rows));
}
