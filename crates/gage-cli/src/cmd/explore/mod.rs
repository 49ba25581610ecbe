//! `gage explore`: a page that shows a model, on this machine or as one file.

mod browser;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gage_embed::Model;
use gage_embed::io::{Inputs, Target};
use gage_explorer::{Explorer, ExplorerParams, Server, cache_beside, frozen_page};
use serde::Serialize;

use crate::args::evaluate::LabelArgs;
use crate::args::{ExploreArgs, missing};
use crate::errors::Failure;
use crate::interrupt;
use crate::labels;
use crate::session::Session;
use crate::staging::Staging;

/// How often Ctrl-C is looked for.
const PAUSE: Duration = Duration::from_millis(50);

/// Where the page is.
#[derive(Serialize)]
struct Served {
    url: String,
    port: u16,
    nodes: usize,
}

/// What was written instead.
#[derive(Serialize)]
struct Frozen {
    nodes: usize,
    bytes: u64,
}

pub(crate) fn run(args: &ExploreArgs, session: &Session) -> anyhow::Result<()> {
    if !args.model.exists() {
        return Err(missing(&args.model).into());
    }
    match &args.output {
        Some(output) => freeze(args, output, session),
        None => serve(args, session),
    }
}

/// The model, and what is to be shown beside it.
fn prepare(args: &ExploreArgs, session: &Session) -> anyhow::Result<(Model, ExplorerParams)> {
    let model = session.model(&args.model)?;
    let loaded = args.data.is_given().then(|| session.load(&args.data)).transpose()?;
    let labels = match (&args.data.labels, &loaded) {
        // Labels beside data are read with them; without data they are all there is.
        (Some(path), None) => {
            let label_column = args.data.reading.label_column.clone();
            let join = LabelArgs { ignore_unknown: true, label_column, rule: args.data.join };
            Some(labels::read(path, model.nodes(), &join, session)?)
        }
        _ => None,
    };
    let params = ExplorerParams {
        title: args.title(),
        graph: loaded.map(|loaded| loaded.graph),
        labels,
        cache: (!args.no_cache).then(|| cache_beside(&args.model)),
        seed: session.seed,
        ..ExplorerParams::default()
    };
    Ok((model, params))
}

fn serve(args: &ExploreArgs, session: &Session) -> anyhow::Result<()> {
    // Before anything is read: a port that is taken should not be found out after the work.
    let server = Server::bind(args.port)?;
    let (model, params) = prepare(args, session)?;
    let nodes = model.nodes().len();
    let section = interrupt::section();
    let explorer = Arc::new(Explorer::start(model, params)?);
    let report = Served { url: server.url(), port: server.port(), nodes };
    let running = server.start(explorer)?;
    session.out.result(&[], &report, || format!("{}\n", report.url))?;
    if !args.no_open && !browser::open(&report.url) {
        let note = "no browser could be opened; open the address in one".to_owned();
        session.out.notes(&[note]);
    }
    while !interrupt::requested() {
        std::thread::sleep(PAUSE);
    }
    drop(running);
    drop(section);
    Err(Failure::interrupted().help("Ctrl-C is how the explorer ends").into())
}

/// Writes one file that needs no server.
fn freeze(args: &ExploreArgs, output: &Path, session: &Session) -> anyhow::Result<()> {
    let mut inputs = Inputs::at(&args.model);
    if args.data.is_given() {
        inputs = inputs.join(args.data.inputs()?);
    }
    let mut staging = Staging::new(inputs);
    let target = staging.claim(output)?;
    let (model, params) = prepare(args, session)?;
    let nodes = model.nodes().len();
    let spinner = session.spinner("candidates and maps");
    let page = frozen_page(model, params)?;
    drop(spinner);
    staging.write(&target, |out| out.write_all(page.as_bytes()))?;
    staging.commit()?;
    if target == Target::Stdout {
        return Ok(());
    }
    let outputs = [output.display().to_string()];
    let report = Frozen { nodes, bytes: page.len() as u64 };
    let text = || format!("{}: {nodes} nodes, {} bytes\n", outputs[0], report.bytes);
    session.out.summary(&outputs, &report, text)
}
