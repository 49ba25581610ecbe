//! `gage evaluate classify`.

use gage_embed::AnyTall;
use gage_embed::eval::{ClassifyParams, ClassifyReport, LogisticParams, TrainSize, classify_with};
use serde::Serialize;

use super::format::{percent, row, spread};
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
    #[serde(flatten)]
    result: ClassifyReport,
}

pub(crate) fn run(args: &ClassifyArgs, session: &Session) -> anyhow::Result<()> {
    let EmbeddingArgs { embedding, lambda } = &args.embedding;
    let (nodes, numbers) =
        Source::read(embedding, lambda, session)?.into_rows(embedding, lambda)?;
    let labels = labels::read(&args.labels, &nodes, &args.join, session)?;
    let params = ClassifyParams {
        train: args.train.iter().map(|share| TrainSize::Share(share.0)).collect(),
        shuffles: args.shuffles,
        logistic: LogisticParams { c: args.c, ..LogisticParams::default() },
        seed: session.seed,
    };
    let steps = session.steps("training and testing");
    let result = match &numbers {
        AnyTall::F32(tall) => classify_with(tall, &labels, &params, &steps),
        AnyTall::F64(tall) => classify_with(tall, &labels, &params, &steps),
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
        result,
    };
    session.out.result(&[], &report, || text(&report))
}

fn text(report: &Report) -> String {
    let result = &report.result;
    let mut text = format!(
        "{} nodes x {} columns, {} labelled, {} classes{}; {} shuffles, C {}\n",
        count(report.nodes),
        report.columns,
        count(result.labelled),
        result.classes,
        if result.multi_label { ", several labels a node" } else { "" },
        report.shuffles,
        report.c,
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
    text
}
