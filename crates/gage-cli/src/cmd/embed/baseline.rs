//! `gage embed --method`: an embedding by another method.

use std::time::Instant;

use gage_baselines::Method;
use gage_embed::io::{EmbeddingRef, EmbeddingWriter};
use gage_embed::{AnyTall, Graph};
use serde::Serialize;

use crate::args::EmbedArgs;
use crate::interrupt;
use crate::memory;
use crate::output::{bytes, count};
use crate::session::Session;
use crate::staging::Staging;

/// What was done, for `--json`.
#[derive(Serialize)]
struct Report {
    method: &'static str,
    variant: String,
    scale: &'static str,
    /// at the peak, beside the data, estimated beforehand
    memory_bytes: u64,
    #[serde(skip)]
    outputs: Vec<String>,
    nodes: usize,
    named: bool,
    columns: usize,
    precision: &'static str,
    seed: u64,
    nodes_without_any_view: usize,
    seconds: Seconds,
    data_warnings: Vec<String>,
}

#[derive(Serialize)]
struct Seconds {
    read: f64,
    fit: f64,
    write: f64,
}

pub(super) fn run(method: &dyn Method, args: &EmbedArgs, session: &Session) -> anyhow::Result<()> {
    let mut staging = Staging::new(args.data.inputs()?);
    let planned = EmbeddingWriter::plan(&mut staging, &args.file.output, args.file.format)?;
    let clock = Instant::now();
    let dataset = session.load(&args.data)?;
    let read = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let nodes = dataset.graph.nodes();
    let columns = args.dim.unwrap_or_default().dimension(nodes.len()).most();
    let memory_bytes = check_memory(method, args, session, &dataset.graph, columns)?;
    let scale = args.scale.unwrap_or_default();
    let bar = session.bar();
    let rows = method.embed_at(scale, &dataset.graph, columns, session.seed, &bar)?;
    drop(bar);
    interrupt::check()?;
    let fit = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let empty = (0..rows.rows()).filter(|&row| rows.row(row).iter().all(|&x| x == 0.0)).count();
    let spinner = session.spinner(format!("writing {}", args.file.output.display()));
    let numbers = AnyTall::F32(rows);
    planned.write(&mut staging, &EmbeddingRef { nodes, values: &numbers })?;
    staging.commit()?;
    drop(spinner);
    if planned.is_stdout() {
        return Ok(());
    }
    let report = Report {
        method: method.name(),
        variant: args.variant.clone().unwrap_or_else(|| "default".to_owned()),
        scale: scale.name(),
        memory_bytes,
        outputs: planned.files().to_vec(),
        nodes: nodes.len(),
        named: nodes.is_named(),
        columns,
        precision: "f32",
        seed: session.seed,
        nodes_without_any_view: empty,
        seconds: Seconds { read, fit, write: clock.elapsed().as_secs_f64() },
        data_warnings: dataset.warnings,
    };
    session.out.summary(&report.outputs, &report, || text(&report, method))
}

/// Says what the method will take, and refuses it where that is more than there is.
fn check_memory(
    method: &dyn Method,
    args: &EmbedArgs,
    session: &Session,
    graph: &Graph,
    columns: usize,
) -> anyhow::Result<u64> {
    let available = args.max_memory.or_else(memory::available_bytes).unwrap_or(u64::MAX);
    let needed = method.check_memory(graph, columns, available)?;
    let size = bytes(usize::try_from(needed)?);
    session.out.notes(&[format!("method {} takes about {size} beside the data", method.name())]);
    Ok(needed)
}

fn text(report: &Report, method: &dyn Method) -> String {
    let size = format!("{} nodes x {} columns (f32)", count(report.nodes), report.columns);
    let seconds = &report.seconds;
    let clocks = format!(
        "read {:.1} s, fit {:.1} s, write {:.1} s",
        seconds.read, seconds.fit, seconds.write
    );
    let what = format!("method {}: {}", report.method, method.describe());
    format!("{size}, {what}\n{clocks}\nwrote {}\n", report.outputs.join(", "))
}
