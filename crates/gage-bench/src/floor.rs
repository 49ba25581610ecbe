//! A fit beside its floor.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::Context as _;
use gage_embed::io::{DatasetSpec, load};
use gage_embed::solver::{FitContext, RefineParams, prepare};
use gage_embed::{Dimension, FitParams, Observer, Preset, Progress};
use gage_linalg::Workspace;
use gage_linalg::memory::Kernel;
use serde::Serialize;

use crate::machine::{dense_rates, read_bandwidth};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A data set, as for `gage embed`
    data: PathBuf,
    /// Columns of the embedding
    #[arg(long, default_value_t = 128)]
    dim: usize,
    /// Preset
    #[arg(long, default_value = "balanced")]
    preset: String,
    /// Iterations of the basis, at most [default: as the library]
    #[arg(long)]
    iterations: Option<usize>,
    /// When iterations of the basis end [default: as the library]
    #[arg(long)]
    tolerance: Option<f64>,
    /// Refine at full size
    #[arg(long)]
    refine: bool,
    /// Fits; the fastest counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct StageTime {
    name: String,
    calls: u64,
    seconds: f64,
    floor_seconds: f64,
}

#[derive(Serialize)]
struct Report {
    nodes: usize,
    passes: usize,
    width: usize,
    relative_loss: f64,
    seconds: f64,
    floor_seconds: f64,
    total_ratio: f64,
    bandwidth_gb: f64,
    /// Rates of dense work that stays in the cache, by kernel.
    gflops: Vec<(Kernel, f64)>,
    /// Kernels, and everything else.
    stages: Vec<StageTime>,
    /// Time until each report of progress, by stage.
    timeline: Vec<(String, f64)>,
}

struct Timeline {
    begin: Instant,
    last: Mutex<Vec<(String, f64)>>,
}

impl Observer for Timeline {
    fn progress(&self, progress: &Progress) {
        let now = self.begin.elapsed().as_secs_f64();
        if let Ok(mut last) = self.last.lock() {
            last.push((format!("{:?}", progress.stage), now));
        }
    }
}

fn params(args: &Args) -> anyhow::Result<FitParams> {
    let preset = Preset::named(&args.preset).context("no such preset")?;
    let mut params =
        FitParams { dimension: Dimension::Fixed(args.dim), preset, ..FitParams::default() };
    params.basis.max_iterations = args.iterations.unwrap_or(params.basis.max_iterations);
    params.basis.tolerance = args.tolerance.unwrap_or(params.basis.tolerance);
    params.loadings = false;
    params.refine = args.refine.then(RefineParams::default);
    Ok(params)
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let dataset = load(&DatasetSpec::at(&args.data))?;
    let params = params(args)?.check()?;
    let plan = gage_embed::plan(&dataset.graph, &params)?;
    let mut best: Option<Report> = None;
    for _ in 0..args.rounds.max(1) {
        let timeline = Timeline { begin: Instant::now(), last: Mutex::default() };
        let workspace = Workspace::default();
        let context = FitContext {
            observer: &timeline,
            workspace: workspace.clone(),
            ..FitContext::default()
        };
        let model = prepare(&dataset.graph, params.clone(), &context)?.fit(&context)?;
        let seconds = timeline.begin.elapsed().as_secs_f64();
        let used = workspace.usage();
        if best.as_ref().is_some_and(|best| best.seconds <= seconds) {
            continue;
        }
        let nodes = dataset.graph.nodes().len();
        let width = plan.basis_width;
        let bandwidth = read_bandwidth(4 * nodes * width);
        let rates = dense_rates(width);
        let mut stages: Vec<StageTime> = used
            .iter()
            .map(|(kernel, usage)| StageTime {
                name: format!("{kernel:?}"),
                calls: usage.calls,
                seconds: usage.seconds,
                floor_seconds: match kernel {
                    Kernel::Spmm => usage.bytes / bandwidth,
                    Kernel::Eigen => usage.flops / rates.eigen,
                    _ => (usage.flops / rates.of(*kernel)).max(usage.bytes / bandwidth),
                },
            })
            .collect();
        let counted: f64 = stages.iter().map(|stage| stage.seconds).sum();
        let floor_seconds: f64 = stages.iter().map(|stage| stage.floor_seconds).sum();
        let rest = seconds - counted;
        stages.push(StageTime {
            name: "Other".to_owned(),
            calls: 1,
            seconds: rest,
            floor_seconds: 0.0,
        });
        best = Some(Report {
            nodes,
            passes: model.info().passes,
            width,
            relative_loss: model.info().relative_loss,
            seconds,
            floor_seconds,
            total_ratio: seconds / floor_seconds,
            bandwidth_gb: bandwidth * 1e-9,
            gflops: rates.dense.iter().map(|(kernel, rate)| (*kernel, rate * 1e-9)).collect(),
            stages,
            timeline: timeline.last.into_inner().unwrap_or_default(),
        });
    }
    let report = best.context("no fit was made")?;
    print(&report, args.json)
}

#[allow(clippy::print_stdout, reason = "a program that prints its measurements")]
fn print(report: &Report, json: bool) -> anyhow::Result<()> {
    if json {
        println!("{}", serde_json::to_string_pretty(report)?);
        return Ok(());
    }
    println!(
        "{} nodes, {} passes of at most {} columns, relative loss {:.6}: {:.3} s, floor {:.3} s, \
         ratio {:.2}",
        report.nodes,
        report.passes,
        report.width,
        report.relative_loss,
        report.seconds,
        report.floor_seconds,
        report.total_ratio
    );
    let rates = report.gflops.iter().map(|(kernel, rate)| format!("{kernel:?} {rate:.1}"));
    println!(
        "bandwidth {:.1} GB/s; Gflop/s: {}",
        report.bandwidth_gb,
        rates.collect::<Vec<_>>().join(", ")
    );
    for stage in &report.stages {
        println!(
            "{:12} {:6} calls {:9.4} s  floor {:9.4} s",
            stage.name, stage.calls, stage.seconds, stage.floor_seconds
        );
    }
    let mut before = 0.0;
    for (stage, at) in &report.timeline {
        println!("  {stage:12} +{:.4}", at - before);
        before = *at;
    }
    println!("  {:12} +{:.4}", "end", report.seconds - before);
    Ok(())
}
