//! `gage explore`: a page on this machine that shows a model.

mod browser;

use std::sync::Arc;
use std::time::Duration;

use gage_embed::Labels;
use gage_explorer::{Explorer, ExplorerParams, Server, cache_beside};
use serde::Serialize;

use crate::args::{ExploreArgs, missing};
use crate::errors::Failure;
use crate::interrupt;
use crate::labels;
use crate::session::Session;

/// How often Ctrl-C is looked for.
const PAUSE: Duration = Duration::from_millis(50);

/// Where the page is.
#[derive(Serialize)]
struct Report {
    url: String,
    port: u16,
    nodes: usize,
}

pub(crate) fn run(args: &ExploreArgs, session: &Session) -> anyhow::Result<()> {
    if !args.model.exists() {
        return Err(missing(&args.model).into());
    }
    // Before anything is read: a port that is taken should not be found out after the work.
    let server = Server::bind(args.port)?;
    let model = session.model(&args.model)?;
    let nodes = model.nodes().clone();
    let graph = args.data.is_given().then(|| session.load(&args.data)).transpose()?;
    let labels: Option<Labels> = match (&args.data.labels, &graph) {
        // Labels beside data are read with them; without data they are all there is.
        (Some(path), None) => Some(labels::read(path, &nodes, true, session)?.labels),
        _ => None,
    };
    let params = ExplorerParams {
        title: args.title(),
        graph: graph.map(|loaded| loaded.graph),
        labels,
        cache: (!args.no_cache).then(|| cache_beside(&args.model)),
        seed: session.seed,
    };
    let section = interrupt::section();
    let explorer = Arc::new(Explorer::start(model, params)?);
    let url = server.url();
    let report = Report { url, port: server.port(), nodes: nodes.len() };
    let running = server.start(explorer)?;
    session.out.result(&[], &report, || text(&report))?;
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

fn text(report: &Report) -> String {
    format!("{}\n", report.url)
}
