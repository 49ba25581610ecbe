//! `gage embed`: reads a data set, fits a model, writes the embedding.

mod baseline;
mod fitted;

use std::time::Instant;

use gage_embed::io::{EmbeddingRef, EmbeddingWriter};
use gage_embed::solver::Stage;
use serde::Serialize;

use self::fitted::{Fitted, obtain};
use crate::args::EmbedArgs;
use crate::checkpoint::Checkpoint;
use crate::model_summary::ModelSummary;
use crate::session::Session;
use crate::staging::Staging;

/// What was done, for `--json`.
#[derive(Serialize)]
struct Report {
    method: &'static str,
    #[serde(skip)]
    outputs: Vec<String>,
    resumed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    resumed_at: Option<Stage>,
    passes_done: usize,
    seconds: Seconds,
    data_warnings: Vec<String>,
    #[serde(flatten)]
    model: ModelSummary,
}

#[derive(Serialize)]
struct Seconds {
    read: f64,
    fit: f64,
    write: f64,
}

pub(crate) fn run(args: &EmbedArgs, session: &Session) -> anyhow::Result<()> {
    if let Some(method) = args.baseline()? {
        return baseline::run(method.as_ref(), args, session);
    }
    // Everything that can be refused is refused before the work begins.
    let recipe = args.views.recipe.iter().fold(args.data.inputs()?, |all, path| all.and(path));
    let mut staging = Staging::new(recipe);
    let planned = EmbeddingWriter::plan(&mut staging, &args.file.output, args.file.format)?;
    let model_file = args.model.as_deref().map(|path| staging.claim(path)).transpose()?;
    args.checkpoint.as_deref().map(Checkpoint::prepare).transpose()?;
    let fitted = obtain(args, session)?;
    let Fitted { model, resumed, work, warnings, seconds: [read, fit] } = fitted;
    let clock = Instant::now();
    let lambda = args.lambda.lambda();
    let summary = ModelSummary::of(&model, &lambda)?;
    let spinner = session.spinner(format!("writing {}", args.file.output.display()));
    let mut outputs = planned.files().to_vec();
    if let (Some(target), Some(path)) = (&model_file, &args.model) {
        staging.write_at(target, |place| model.save(place))?;
        outputs.push(path.display().to_string());
    }
    let (nodes, numbers) = model.into_embedding(&lambda)?;
    planned.write(&mut staging, &EmbeddingRef { nodes: &nodes, values: &numbers })?;
    staging.commit()?;
    drop(spinner);
    session.out.warnings(&summary.warnings);
    if planned.is_stdout() {
        return Ok(());
    }
    let report = Report {
        method: "gage",
        outputs,
        resumed,
        resumed_at: work.resumed,
        passes_done: work.passes,
        seconds: Seconds { read, fit, write: clock.elapsed().as_secs_f64() },
        data_warnings: warnings,
        model: summary,
    };
    session.out.summary(&report.outputs, &report, || text(&report))
}

fn text(report: &Report) -> String {
    let Seconds { read, fit, .. } = report.seconds;
    let source = match (report.resumed, report.resumed_at) {
        (true, None) => "resumed from the checkpoint".to_owned(),
        (true, Some(_)) => {
            let passes = report.passes_done;
            format!("read {read:.1} s, rest of the fit ({passes} passes) {fit:.1} s")
        }
        (false, _) => format!("read {read:.1} s, fit {fit:.1} s"),
    };
    let files = report.outputs.join(", ");
    format!("{}{source}, write {:.1} s\nwrote {files}\n", report.model.text(), report.seconds.write)
}
