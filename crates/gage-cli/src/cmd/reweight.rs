//! `gage reweight`: another embedding from the same model.

use gage_embed::io::{EmbeddingRef, EmbeddingWriter, Inputs};
use serde::Serialize;

use crate::args::ReweightArgs;
use crate::model_summary::ModelSummary;
use crate::session::Session;
use crate::staging::Staging;

#[derive(Serialize)]
struct Report {
    #[serde(skip)]
    outputs: Vec<String>,
    #[serde(flatten)]
    model: ModelSummary,
}

pub(crate) fn run(args: &ReweightArgs, session: &Session) -> anyhow::Result<()> {
    let mut staging = Staging::new(Inputs::at(&args.model));
    let planned = EmbeddingWriter::plan(&mut staging, &args.file.output, args.file.format)?;
    let model = session.model(&args.model)?;
    let lambda = args.lambda.lambda();
    let spinner = session.spinner(format!("writing {}", args.file.output.display()));
    let numbers = model.embedding(&lambda)?;
    planned.write(&mut staging, &EmbeddingRef { nodes: model.nodes(), values: &numbers })?;
    staging.commit()?;
    drop(spinner);
    if planned.is_stdout() {
        return Ok(());
    }
    let report =
        Report { outputs: planned.files().to_vec(), model: ModelSummary::of(&model, &lambda)? };
    session.out.warnings(&report.model.warnings);
    session.out.summary(&report.outputs, &report, || {
        let shares: Vec<String> =
            report.model.views.iter().map(|v| format!("{} {:.3}", v.name, v.share)).collect();
        format!("shares: {}\nwrote {}\n", shares.join(", "), report.outputs.join(", "))
    })
}
