//! `gage embed`: files to a fit to an embedding.

use std::time::{Duration, Instant};

use gage_embed::graph::BlockKind;
use gage_embed::solver::{FitContext, FitWork, RefineParams, Stage, fit_in};
use gage_embed::views::DirectedViews;
use gage_embed::{CertificateParams, CheckedParams, Error, FitParams, Graph, Model};
use gage_linalg::Workspace;
use serde::Serialize;

use super::Session;
use super::describe::ModelSummary;
use crate::args::{Dim, DirectedArg, EmbedArgs, PresetArg};
use crate::checkpoint::Checkpoint;
use crate::interrupt;
use crate::memory;
use crate::progress;
use crate::staging::Staging;
use gage_embed::io::{EmbeddingRef, EmbeddingWriter};

/// What was done, for `--json`.
#[derive(Serialize)]
struct Report {
    command: &'static str,
    method: &'static str,
    outputs: Vec<String>,
    resumed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    resumed_at: Option<Stage>,
    passes_done: usize,
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
    work: FitWork,
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
    let planned = EmbeddingWriter::plan(&mut staging, &args.file.output, args.file.format)?;
    let model_file = args.model.as_deref().map(|path| staging.claim(path)).transpose()?;
    let checkpoint = match &args.checkpoint {
        Some(folder) => Some(Checkpoint::open(folder, &inputs, &key(args, session.seed))?),
        None => None,
    };
    let mut seconds = Seconds::default();
    let fitted = obtain(args, session, checkpoint.as_ref(), &mut seconds)?;
    let clock = Instant::now();
    let lambda = args.lambda.lambda();
    let summary = ModelSummary::of(&fitted.model, &lambda)?;
    let mut outputs = planned.files().to_vec();
    if let (Some(target), Some(path)) = (&model_file, &args.model) {
        staging.write_at(target, |place| fitted.model.save(place))?;
        outputs.push(path.display().to_string());
    }
    let (nodes, numbers) = fitted.model.into_embedding(&lambda)?;
    planned.write(&mut staging, &EmbeddingRef { nodes: &nodes, values: &numbers })?;
    staging.commit()?;
    seconds.write = clock.elapsed().as_secs_f64();
    session.out.remarks("warning", &summary.warnings);
    if planned.is_stdout() {
        return Ok(());
    }
    let report = Report {
        command: "embed",
        method: "gage",
        outputs,
        resumed: fitted.resumed,
        resumed_at: fitted.work.resumed,
        passes_done: fitted.work.passes,
        seconds,
        notes: fitted.notes,
        data_warnings: fitted.warnings,
        model: summary,
    };
    session.out.summary(&report, || text(&report))
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
        let work = FitWork { passes: 0, resumed: None };
        return Ok(Fitted { model, resumed: true, work, notes, warnings: Vec::new() });
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
    let workspace = match args.max_memory {
        Some(limit) => {
            let scratch = args.scratch.as_deref();
            memory::workspace_within(limit, scratch, &dataset.graph, &params)?
        }
        None => Workspace::default(),
    };
    let (model, work) = match checkpoint {
        Some(checkpoint) => {
            let place = Kept { checkpoint, every: args.checkpoint_every, workspace };
            place.fit(&dataset.graph, params, session, &mut dataset.info, &mut dataset.warnings)?
        }
        None => {
            let context =
                FitContext { observer: &session.bar(), workspace, ..FitContext::default() };
            fit_in(&dataset.graph, params, &context, None)?
        }
    };
    interrupt::check()?;
    seconds.fit = clock.elapsed().as_secs_f64();
    if let Some(checkpoint) = checkpoint {
        checkpoint.keep(&model)?;
    }
    let resumed = work.resumed.is_some();
    Ok(Fitted { model, resumed, work, notes: dataset.info, warnings: dataset.warnings })
}

/// A fit whose states are kept.
struct Kept<'a> {
    checkpoint: &'a Checkpoint,
    every: Duration,
    workspace: Workspace,
}

impl Kept<'_> {
    /// Goes on from what an earlier run left, if it is of use, and says so.
    fn fit(
        &self,
        graph: &Graph,
        params: CheckedParams,
        session: &Session,
        notes: &mut Vec<String>,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<(Model, FitWork)> {
        let say = |kind: &str, list: &mut Vec<String>, text: String| {
            session.out.remarks(kind, std::slice::from_ref(&text));
            list.push(text);
        };
        let left = self.checkpoint.left(&self.workspace);
        left.warnings.into_iter().for_each(|text| say("warning", warnings, text));
        let keeper = self.checkpoint.keeper(self.every);
        let run = |state| {
            let context = FitContext {
                observer: &session.bar(),
                workspace: self.workspace.clone(),
                keeper: Some(&keeper),
                ..FitContext::default()
            };
            fit_in(graph, params.clone(), &context, state)
        };
        let state = left.state;
        if let Some(state) = state.as_ref().filter(|state| state.is_of(graph, &params)) {
            let (stage, passes) = (progress::name(state.stage()), state.passes());
            let text = format!("resumed a fit cut short after {passes} passes, at: {stage}");
            say("note", notes, text);
        }
        let outcome = match run(state) {
            Err(error @ Error::State { .. }) => {
                say("warning", warnings, self.checkpoint.refused(&error));
                run(None)
            }
            outcome => outcome,
        };
        if let Some(failure) = keeper.failure() {
            say("warning", warnings, failure);
        }
        Ok(outcome?)
    }
}

/// Whether some block of links has a direction.
fn is_directed(graph: &Graph) -> bool {
    graph.blocks().iter().any(|block| block.kind == BlockKind::Links { directed: true })
}

/// A matrix that is not symmetric is directed; whoever did not say what directions mean should hear of it.
pub(super) fn direction_warning(graph: &Graph, directed: Option<DirectedArg>) -> Option<String> {
    (directed.is_none() && is_directed(graph)).then(|| {
        "the links are not symmetric, so they are directed: preset auto describes a node by both ends of its links, \
         the others by its out-links; if they have no direction use --directed no, else choose with \
         --directed out|in|both"
            .to_owned()
    })
}

/// How directed links become views.
pub(super) fn direction(directed: Option<DirectedArg>) -> DirectedViews {
    match directed {
        // The preset decides, and the model remembers which relations have a direction.
        None | Some(DirectedArg::No) => DirectedViews::AsGiven,
        Some(DirectedArg::Out) => DirectedViews::Out,
        Some(DirectedArg::In) => DirectedViews::In,
        Some(DirectedArg::Both) => DirectedViews::Both,
    }
}

fn params(args: &EmbedArgs, seed: u64, graph: &Graph) -> anyhow::Result<FitParams> {
    let preset = FitParams::preset(args.preset().name())?;
    let params = FitParams {
        directed: direction(args.data.directed),
        weights: args.weights.clone(),
        dimension: Dim::dimension(args.dim, graph.nodes().len()),
        precision: args.precision().into(),
        seed,
        refine: args.refine.then(RefineParams::default),
        certificate: args.certify.then(|| CertificateParams { seed, ..Default::default() }),
        // Tables for new nodes go into a model, and into a fit that is kept for whoever asks for a model later.
        loadings: args.model.is_some() || args.checkpoint.is_some(),
        ..preset
    };
    Ok(match args.tolerance {
        Some(tolerance) => params.until(tolerance),
        None => params,
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
        id_column: Option<String>,
        no_ids: bool,
        dim: Option<Dim>,
        preset: PresetArg,
        weights: Option<Vec<f64>>,
        precision: crate::args::PrecisionArg,
        tolerance: Option<f64>,
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
        id_column: data.ids.id_column.clone(),
        no_ids: data.ids.no_ids,
        dim: args.dim,
        preset: args.preset(),
        weights: args.weights.clone(),
        precision: args.precision(),
        tolerance: args.tolerance,
        refine: args.refine,
        certify: args.certify,
        seed,
    }
}
