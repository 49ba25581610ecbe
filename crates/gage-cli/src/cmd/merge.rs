//! `gage merge`: the parts of an embedding as one file.

use gage_embed::io::{
    EmbeddingRef, EmbeddingWriter, Inputs, part_embedding, read_sharded_embedding,
};
use serde::Serialize;

use crate::args::MergeArgs;
use crate::errors::{Exit, Failure};
use crate::session::Session;
use crate::staging::Staging;

#[derive(Serialize)]
struct Report {
    parts: usize,
    nodes: usize,
    columns: usize,
}

/// What `gage-mpi embed` says of the parts it wrote.
#[derive(serde::Deserialize)]
struct Parts {
    ranks: usize,
    nodes: usize,
}

pub(crate) fn run(args: &MergeArgs, session: &Session) -> anyhow::Result<()> {
    let parts = parts(args)?;
    let inputs = (0..parts.ranks)
        .fold(Inputs::default(), |inputs, part| inputs.and(&part_embedding(&args.input, part)));
    let mut staging = Staging::new(inputs);
    let planned = EmbeddingWriter::plan(&mut staging, &args.file.output, args.file.format)?;
    let _spinner = session.spinner(format!("joining {}", args.input.display()));
    let (nodes, values) = read_sharded_embedding(&args.input, parts.ranks)?;
    if nodes.len() != parts.nodes {
        let found = format!("{}: found {} nodes", args.input.display(), nodes.len());
        let message = format!("{found}, expected {}", parts.nodes);
        return Err(Failure::misfit(message).help("embed again").into());
    }
    planned.write(&mut staging, &EmbeddingRef { nodes: &nodes, values: &values })?;
    staging.commit()?;
    let outputs = planned.files().to_vec();
    let report = Report { parts: parts.ranks, nodes: nodes.len(), columns: values.cols() };
    session.out.summary(&outputs, &report, || {
        format!("{} parts, wrote {}\n", report.parts, outputs.join(", "))
    })
}

fn parts(args: &MergeArgs) -> anyhow::Result<Parts> {
    let path = args.input.join("parts.json");
    let unreadable = |error: &dyn std::fmt::Display| {
        let message = format!("{}: {error}", path.display());
        let help = "name the folder that `gage-mpi embed -o` wrote; one without parts.json was \
                    not finished";
        Failure::new(Exit::Input, message).help(help)
    };
    let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&error))?;
    Ok(serde_json::from_str(&text).map_err(|error| unreadable(&error))?)
}
