//! `gage embed`: files to a fit to an embedding.

use std::time::Instant;

use gage_embed::{
    BlockKind, CertificateParams, Directed, FitParams, Graph, Model, RefineParams, fit_with,
};
use serde::Serialize;

use super::Session;
use super::describe::ModelSummary;
use crate::args::{Dim, DirectedArg, EmbedArgs, PresetArg};
use crate::checkpoint::Checkpoint;
use crate::interrupt;
use crate::write::{self, Embedding, Staging};

/// What was done, for `--json`.
#[derive(Serialize)]
struct Report {
    command: &'static str,
    method: &'static str,
    outputs: Vec<String>,
    resumed: bool,
    seconds: Seconds,
    notes: Vec<String>,
    data_warnings: Vec<String>,
    #[serde(flatten)]
    model: ModelSummary,
}

#[derive(Default, Serialize)]
struct Seconds {
    read: f64,
    fit: f64,
    write: f64,
}

/// A fit and how it came about.
struct Fitted {
    model: Model,
    resumed: bool,
    notes: Vec<String>,
    warnings: Vec<String>,
}

pub(crate) fn run(args: &EmbedArgs, session: &Session) -> anyhow::Result<()> {
    if let Some(rival) = args.rival()? {
        return super::rival::run(rival.as_ref(), args, session);
    }
    let inputs = args.data.inputs()?;
    // Everything that can be refused is refused before the work begins.
    let mut staging = Staging::new(inputs.clone());
    let planned = write::plan(&mut staging, &args.file.output, args.file.format)?;
    let model_file = args.model.as_deref().map(|path| staging.claim(path)).transpose()?;
    let checkpoint = match &args.checkpoint {
        Some(folder) => Some(Checkpoint::open(folder, &inputs, &key(args, session.seed))?),
        None => None,
    };
    let mut seconds = Seconds::default();
    let fitted = obtain(args, session, checkpoint.as_ref(), &mut seconds)?;
    let clock = Instant::now();
    let lambda = args.lambda.lambda();
    let numbers = fitted.model.embedding(&lambda)?;
    let embedding = Embedding { nodes: fitted.model.nodes(), numbers: &numbers };
    planned.write(&mut staging, &embedding)?;
    let mut outputs = planned.files();
    if let (Some(target), Some(path)) = (&model_file, &args.model) {
        staging.write_at(target, |place| fitted.model.save(place))?;
        outputs.push(path.display().to_string());
    }
    staging.commit()?;
    seconds.write = clock.elapsed().as_secs_f64();
    let summary = ModelSummary::of(&fitted.model, &lambda)?;
    session.out.remarks("warning", &summary.warnings);
    if planned.is_stdout() {
        return Ok(());
    }
    let report = Report {
        command: "embed",
        method: "gage",
        outputs,
        resumed: fitted.resumed,
        seconds,
        notes: fitted.notes,
        data_warnings: fitted.warnings,
        model: summary,
    };
    session.out.summary(&report, || text(&report))
}

fn text(report: &Report) -> String {
    let source = if report.resumed {
        "resumed from the checkpoint".to_owned()
    } else {
        format!("read {:.1} s, fit {:.1} s", report.seconds.read, report.seconds.fit)
    };
    let files = report.outputs.join(", ");
    format!("{}{source}, write {:.1} s\nwrote {files}\n", report.model.text(), report.seconds.write)
}

/// The model: from a checkpoint, or from the data.
fn obtain(
    args: &EmbedArgs,
    session: &Session,
    checkpoint: Option<&Checkpoint>,
    seconds: &mut Seconds,
) -> anyhow::Result<Fitted> {
    if let Some(model) = checkpoint.and_then(Checkpoint::finished) {
        let notes = vec!["resumed from a finished fit in the checkpoint folder".to_owned()];
        session.out.remarks("note", &notes);
        return Ok(Fitted { model, resumed: true, notes, warnings: Vec::new() });
    }
    let clock = Instant::now();
    let mut dataset = session.load(&args.data)?;
    if let Some(warning) = direction_warning(&dataset.graph, args.data.directed) {
        session.out.remarks("warning", std::slice::from_ref(&warning));
        dataset.warnings.push(warning);
    }
    seconds.read = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let params = params(args, session.seed, &dataset.graph)?.check()?;
    let bar = session.bar();
    let model = fit_with(&dataset.graph, params, &bar)?;
    drop(bar);
    interrupt::check()?;
    seconds.fit = clock.elapsed().as_secs_f64();
    if let Some(checkpoint) = checkpoint {
        checkpoint.keep(&model)?;
    }
    Ok(Fitted { model, resumed: false, notes: dataset.info, warnings: dataset.warnings })
}

/// Whether some block of links has a direction.
fn is_directed(graph: &Graph) -> bool {
    graph.blocks().iter().any(|block| block.kind == BlockKind::Links { directed: true })
}

/// A graph listed once per link looks directed; whoever did not say what directions mean should hear of it.
pub(super) fn direction_warning(graph: &Graph, directed: Option<DirectedArg>) -> Option<String> {
    (directed.is_none() && is_directed(graph)).then(|| {
        "the links are not symmetric, so they are directed and a node is described by its out-links; \
         if they have no direction use --directed no, else choose with --directed out|in|both"
            .to_owned()
    })
}

/// How directed links become views.
pub(super) fn direction(graph: &Graph, directed: Option<DirectedArg>) -> Directed {
    match directed {
        // Said aloud, so that the model remembers that directions meant something.
        None if is_directed(graph) => Directed::Out,
        None | Some(DirectedArg::No) => Directed::AsGiven,
        Some(DirectedArg::Out) => Directed::Out,
        Some(DirectedArg::In) => Directed::In,
        Some(DirectedArg::Both) => Directed::Both,
    }
}

fn params(args: &EmbedArgs, seed: u64, graph: &Graph) -> anyhow::Result<FitParams> {
    let preset = FitParams::preset(args.preset().name())?;
    Ok(FitParams {
        directed: direction(graph, args.data.directed),
        weights: args.weights.clone(),
        dimension: Dim::dimension(args.dim, graph.nodes().len()),
        precision: args.precision().into(),
        seed,
        refine: args.refine.then(RefineParams::default),
        certificate: args.certify.then(|| CertificateParams { seed, ..Default::default() }),
        ..preset
    })
}

/// Everything on the command line that changes the fit, for the key of a checkpoint. Shares do not.
fn key(args: &EmbedArgs, seed: u64) -> impl Serialize {
    #[derive(Serialize)]
    struct Key {
        roles: Vec<String>,
        mat_names: Vec<String>,
        zero_rows: crate::args::ZeroRowsArg,
        directed: Option<DirectedArg>,
        dim: Option<Dim>,
        preset: PresetArg,
        weights: Option<Vec<f64>>,
        precision: crate::args::PrecisionArg,
        refine: bool,
        certify: bool,
        seed: u64,
    }
    let data = &args.data;
    let files = [&data.dataset, &data.graph, &data.attributes, &data.labels, &data.nodes];
    // Which of the files was given as what; their contents are added by the inputs themselves.
    let name = |path: &std::path::PathBuf| {
        path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let mut roles: Vec<String> = files
        .into_iter()
        .chain([&data.columns])
        .map(|file| file.as_ref().map(name).unwrap_or_default())
        .collect();
    roles.extend(data.views.iter().map(|(view, path)| format!("{view}={}", name(path))));
    Key {
        roles,
        mat_names: data.mat_names.clone(),
        zero_rows: data.zero_rows,
        directed: data.directed,
        dim: args.dim,
        preset: args.preset(),
        weights: args.weights.clone(),
        precision: args.precision(),
        refine: args.refine,
        certify: args.certify,
        seed,
    }
}
