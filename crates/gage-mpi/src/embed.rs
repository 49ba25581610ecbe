//! `gage-mpi embed`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, bail};
use gage_core::solver::{CheckpointStore, FitContext};
use gage_core::{Model, NoObserver, Observer, prepare};
use gage_io::{EmbeddingRef, EmbeddingWriter, Inputs, Shards, Staging, TemporaryFolders};
use gage_io::{part_embedding, write_atomically};
use gage_linalg::random::hash_bytes;
use gage_linalg::{Reducer, Workspace};
use serde::Serialize;

use crate::args::EmbedArgs;
use crate::checkpoint::Checkpoints;
use crate::progress::Lines;
use crate::world::World;

/// The result, which the first process prints and writes beside the parts.
#[derive(Serialize)]
struct Report {
    ranks: usize,
    shards: usize,
    nodes: usize,
    columns: usize,
    relative_loss: f64,
    views: Vec<ViewReport>,
    passes: usize,
    resumed: bool,
    /// Of all processes together, and of the one that sent most.
    bytes_sent: f64,
    bytes_sent_worst: f64,
    /// Wall time, and the part of it in exchanges, waiting included: means over the processes.
    seconds: f64,
    exchange_seconds: f64,
    compute_seconds: f64,
    /// Resident memory of the process that needed most.
    peak_memory_worst: f64,
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<gage_core::model::Certificate>,
}

#[derive(Serialize)]
struct ViewReport {
    name: String,
    relative_loss: f64,
    gram_norm: f64,
    gram_norm_exact: bool,
}

pub fn run(args: &EmbedArgs, world: &World) -> anyhow::Result<()> {
    let clock = Instant::now();
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    let reducer: &dyn Reducer = world;
    let shards = Shards::open(&args.shards)?;
    world.agree("the version of gage-mpi", hash_bytes(env!("CARGO_PKG_VERSION").as_bytes()))?;
    world.agree("the manifest of the shards", hash_bytes(shards.hash().as_bytes()))?;
    let manifest = shards.manifest();
    let request = args.fit.request()?;
    let request_text = serde_json::to_string(&request)?;
    world.agree("the request", hash_bytes(request_text.as_bytes()))?;
    let Some(runs) = manifest.runs(reducer.size()) else {
        bail!(
            "{} processes for {} shards: start at most one process for each, or convert into more",
            reducer.size(),
            manifest.parts.len()
        );
    };
    claim(&args.output, reducer)?;
    let graph = shards.read(runs[reducer.rank()].clone())?;
    let params = request.params(manifest.nodes)?.check()?;
    let workspace = Workspace::default();
    let checkpoints = args.checkpoint.as_ref().map(|folder| {
        Checkpoints::open(folder, (shards.hash(), &request_text), &workspace, reducer)
    });
    let (checkpoints, left) = match checkpoints.transpose()? {
        Some((checkpoints, left)) => (Some(checkpoints), left),
        None => (None, None),
    };
    let lines = Lines::new(args.quiet);
    let observer: &dyn Observer = if reducer.rank() == 0 { &lines } else { &NoObserver };
    let store = checkpoints.as_ref().map(|checkpoints| checkpoints as &dyn CheckpointStore);
    let ctx = FitContext { observer, reducer, workspace, checkpoints: store };
    let (model, work) = prepare(&graph, params, &ctx)?.resume(left, &ctx)?;
    drop(graph);
    let trouble = checkpoints.as_ref().and_then(Checkpoints::trouble);
    let mut report = report(&model, reducer.size(), manifest.parts.len());
    report.resumed = work.resumed.is_some();
    report.warnings.extend(
        trouble.map(|why| format!("{}: a checkpoint was not written: {why}", world.origin())),
    );
    let columns = model.dimension();
    let (nodes, values) = model.into_embedding(&args.lambda())?;
    debug_assert_eq!(values.cols(), columns);
    write_part(&args.output, reducer.rank(), &EmbeddingRef { nodes: &nodes, values: &values })?;
    totals(&mut report, clock.elapsed().as_secs_f64(), world);
    finish(&args.output, &report, reducer)
}

/// Makes the folder of the output, which must be new or empty or of an earlier run.
fn claim(output: &Path, reducer: &dyn Reducer) -> anyhow::Result<()> {
    fs::create_dir_all(output).with_context(|| format!("{}", output.display()))?;
    if reducer.rank() == 0 {
        // Without it the parts count as unfinished.
        let _ = fs::remove_file(output.join("parts.json"));
    }
    Ok(())
}

fn write_part(folder: &Path, rank: usize, embedding: &EmbeddingRef<'_>) -> anyhow::Result<()> {
    let temporary = TemporaryFolders::default();
    let mut staging = Staging::new(Inputs::default(), &temporary);
    let writer = EmbeddingWriter::plan(&mut staging, &part_embedding(folder, rank), None)?;
    writer.write(&mut staging, embedding)?;
    Ok(staging.commit()?)
}

fn report(model: &Model, ranks: usize, shards: usize) -> Report {
    let info = model.info();
    let view = |view: &gage_core::model::FittedView| ViewReport {
        name: view.name.clone(),
        relative_loss: view.relative_loss,
        gram_norm: view.gram_norm,
        gram_norm_exact: view.gram_norm_exact,
    };
    Report {
        ranks,
        shards,
        nodes: model.nodes().all(),
        columns: model.dimension(),
        relative_loss: info.relative_loss,
        views: model.views().iter().map(view).collect(),
        passes: info.passes,
        resumed: false,
        bytes_sent: 0.0,
        bytes_sent_worst: 0.0,
        seconds: 0.0,
        exchange_seconds: 0.0,
        compute_seconds: 0.0,
        peak_memory_worst: 0.0,
        warnings: info.warnings.clone(),
        certificate: model.certificate().cloned(),
    }
}

/// Fills in what all processes took.
fn totals(report: &mut Report, seconds: f64, world: &World) {
    let reducer: &dyn Reducer = world;
    let own = [world.bytes_sent() as f64, seconds, world.exchange_seconds()];
    let (mut sums, mut worst) = (own, [own[0], peak_memory()]);
    reducer.sum_f64(&mut sums);
    reducer.max_f64(&mut worst);
    let ranks = reducer.size() as f64;
    report.bytes_sent = sums[0];
    report.bytes_sent_worst = worst[0];
    report.seconds = sums[1] / ranks;
    report.exchange_seconds = sums[2] / ranks;
    report.compute_seconds = report.seconds - report.exchange_seconds;
    report.peak_memory_worst = worst[1];
}

/// The largest resident memory of this process so far, where the system tells.
fn peak_memory() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kibibytes.unwrap_or(0.0) * 1024.0
}

/// The parts are complete once all processes have written theirs and the first has said so.
fn finish(output: &Path, report: &Report, reducer: &dyn Reducer) -> anyhow::Result<()> {
    reducer.sum(0.0);
    if reducer.rank() > 0 {
        return Ok(());
    }
    let text = serde_json::to_string_pretty(report)?;
    let path = output.join("parts.json");
    write_atomically(&path, |out| out.write_all(text.as_bytes()))
        .map_err(|error: std::io::Error| error)
        .with_context(|| format!("{}", path.display()))?;
    println!("{text}");
    Ok(std::io::stdout().flush()?)
}
