//! `gage index`: builds a search index.

use std::path::{Path, PathBuf};
use std::time::Instant;

use gage_embed::io::{Inputs, Target, is_stream, row_files};
use gage_embed::search::{IndexParams, Origin, SearchIndex, build, extend, index_path};
use serde::Serialize;

use crate::args::IndexArgs;
use crate::errors::{Exit, Failure};
use crate::index_file::failure;
use crate::output::{bytes, count};
use crate::session::Session;
use crate::source::Source;
use crate::staging::Staging;

#[derive(Serialize)]
struct Report {
    output: String,
    bytes: u64,
    nodes: usize,
    rows: usize,
    columns: usize,
    lists: usize,
    shares: Vec<f64>,
    target: f64,
    recall: Vec<gage_embed::search::Recall>,
    seconds: f64,
}

pub(crate) fn run(args: &IndexArgs, session: &Session) -> anyhow::Result<()> {
    let start = Instant::now();
    if !(0.0..1.0).contains(&args.recall) {
        let message = format!("--recall is {}, but must be at least 0 and below 1", args.recall);
        return Err(Failure::usage(message)
            .help("for all neighbours use `gage similar --exact`")
            .into());
    }
    if is_stream(&args.model) {
        let message = format!("{}: found a pipe, expected a file", args.model.display());
        let help = "an index belongs to a file, which `gage similar` reads again";
        return Err(Failure::new(Exit::Input, message).help(help).into());
    }
    let files = row_files(&args.model);
    let inputs = files.iter().chain(&args.extend);
    let inputs = inputs.fold(Inputs::default(), |inputs, file| inputs.and(file));
    let mut staging = Staging::new(inputs);
    let open = |path: &PathBuf| {
        let index = SearchIndex::open(path).map_err(|error| failure(path, &error))?;
        Ok::<_, Failure>((path.clone(), index))
    };
    let before = args.extend.as_ref().map(open).transpose()?;
    let metric = before.as_ref().map_or(args.metric.into(), |(_, index)| index.info().metric);
    let own = || index_path(&args.model, &args.lambda.lambda(), metric);
    let path = args.output.clone().unwrap_or_else(own);
    let target = staging.claim(&path)?;
    if !matches!(target, Target::File(_)) {
        let message = format!("{}: an index must be a regular file", path.display());
        return Err(Failure::new(Exit::Output, message).help("name a file with -o").into());
    }
    let source = Source::read(&args.model, &args.lambda, session)?;
    let spinner = session.spinner(format!("building {}", path.display()));
    let space = source.space(&args.lambda)?;
    let paths: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    let origin = Origin::of(&paths).map_err(|error| failure(&args.model, &error.into()))?;
    let params = IndexParams { metric, target: args.recall, seed: session.seed };
    let draft = match &before {
        Some((path, index)) => {
            extend(&space, index, origin).map_err(|error| failure(path, &error))?
        }
        None => build(&space, &params, origin).map_err(|error| failure(&args.model, &error))?,
    };
    staging.write(&target, |out| draft.write(out))?;
    staging.commit()?;
    drop(spinner);
    let info = draft.info();
    let report = Report {
        bytes: std::fs::metadata(&path).map_or(0, |meta| meta.len()),
        output: path.display().to_string(),
        nodes: info.nodes,
        rows: info.rows,
        columns: info.columns,
        lists: info.lists,
        shares: info.shares.clone(),
        target: info.target,
        recall: info.recall.clone(),
        seconds: start.elapsed().as_secs_f64(),
    };
    session.out.summary(std::slice::from_ref(&report.output), &report, || text(&report))
}

fn text(report: &Report) -> String {
    let mut text = format!(
        "{} rows of {} columns in {} lists, {:.1} s\n",
        count(report.rows),
        report.columns,
        count(report.lists),
        report.seconds
    );
    for tier in &report.recall {
        text.push_str(&format!(
            "up to {} neighbours: recall {:.3} on {} nodes, {} lists read\n",
            tier.neighbours, tier.recall, tier.nodes, tier.lists
        ));
    }
    let size = bytes(usize::try_from(report.bytes).unwrap_or(usize::MAX));
    text + &format!("wrote {} ({size})\n", report.output)
}
