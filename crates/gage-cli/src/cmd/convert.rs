//! `gage convert`: the same data in another format.

use std::fs;
use std::path::Path;

use gage_embed::graph::BlockKind;
use gage_embed::io::{
    EmbeddingFormat, EmbeddingRef, EmbeddingWriter, Inputs, LinkFormat, WriteError, exists,
    ids_path, is_embedding_file, read_embedding, write_folder, write_ids, write_shards,
};
use gage_embed::{Graph, Matrix, SparseMatrix};
use serde::Serialize;

use crate::args::{ConvertArgs, Kind, missing};
use crate::errors::{Failure, cannot_write};
use crate::session::Session;
use crate::staging::Staging;

#[derive(Serialize)]
struct Report {
    kind: &'static str,
    nodes: usize,
    #[serde(skip)]
    outputs: Vec<String>,
    #[serde(skip)]
    warnings: Vec<String>,
}

pub(crate) fn run(args: &ConvertArgs, session: &Session) -> anyhow::Result<()> {
    if !exists(&args.input) {
        return Err(missing(&args.input).into());
    }
    let kind = args.kind.unwrap_or_else(|| {
        let embedding = !args.input.is_dir() && is_embedding_file(&args.input);
        if embedding { Kind::Embedding } else { Kind::Data }
    });
    let report = match kind {
        Kind::Embedding => {
            let _spinner = session.spinner(format!("writing {}", args.output.display()));
            embedding(args)?
        }
        Kind::Data => data(args, session)?,
    };
    session.out.warnings(&report.warnings);
    if args.output.as_os_str() == "-" {
        return Ok(());
    }
    session
        .out
        .summary(&report.outputs, &report, || format!("wrote {}\n", report.outputs.join(", ")))
}

fn embedding(args: &ConvertArgs) -> anyhow::Result<Report> {
    let inputs = Inputs::at(&args.input).and(&ids_path(&args.input));
    let mut staging = Staging::new(inputs);
    let planned = EmbeddingWriter::plan(&mut staging, &args.output, args.format)?;
    let (nodes, numbers) = read_embedding(&args.input)?;
    planned.write(&mut staging, &EmbeddingRef { nodes: &nodes, values: &numbers })?;
    staging.commit()?;
    Ok(Report {
        kind: "embedding",
        nodes: nodes.len(),
        outputs: planned.files().to_vec(),
        warnings: Vec::new(),
    })
}

fn data(args: &ConvertArgs, session: &Session) -> anyhow::Result<Report> {
    if let Some(parts) = args.shards {
        return shards(args, parts.get(), session);
    }
    let data = args.data();
    let mut staging = Staging::new(data.inputs()?);
    let extension = args.output.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let to_stdout = args.output.as_os_str() == "-";
    if !to_stdout && (extension.is_empty() || args.output.is_dir()) {
        let dataset = session.load(&data)?;
        let _spinner = session.spinner(format!("writing {}", args.output.display()));
        let (outputs, warnings) = folder(&dataset.graph, &args.output, args.mapped, staging)?;
        let nodes = dataset.graph.nodes().len();
        return Ok(Report { kind: "data set", nodes, outputs, warnings });
    }
    let format = match args.format {
        None => LinkFormat::of(&args.output),
        Some(EmbeddingFormat::Npz) => Some(LinkFormat::Npz),
        Some(EmbeddingFormat::Csv) => Some(LinkFormat::Csv),
        Some(EmbeddingFormat::Tsv) => Some(LinkFormat::Tsv),
        Some(_) => None,
    };
    let format =
        format.ok_or_else(|| WriteError::UnknownLinkFormat { path: args.output.clone() })?;
    let target = staging.claim(&args.output)?;
    let mut outputs = vec![args.output.display().to_string()];
    let dataset = session.load(&data)?;
    let _spinner = session.spinner(format!("writing {}", args.output.display()));
    let graph = &dataset.graph;
    let (links, directed) = links(graph, &data.title())?;
    let mut warnings = left_out(graph);
    staging.write(&target, |out| format.write(links, graph.nodes(), directed, out))?;
    if format.has_ids() {
        if directed {
            let text = "the links have a direction, which an edge list does not say";
            warnings.push(format!("{text}; read it with --directed out, in or both"));
        }
        let lonely = lonely(links);
        if lonely > 0 {
            warnings
                .push(format!("{lonely} nodes have no link, so an edge list does not name them"));
        }
    }
    // Matrices have no room for names.
    if graph.nodes().is_named() && !format.has_ids() && to_stdout {
        let text = "a matrix on standard output goes without the ids of its rows";
        warnings.push(format!("{text}; write a file to have them beside it"));
    } else if graph.nodes().is_named() && !format.has_ids() {
        let path = ids_path(&args.output);
        let target = staging.claim(&path)?;
        staging.write(&target, |out| write_ids(graph.nodes(), out))?;
        outputs.push(path.display().to_string());
    }
    staging.commit()?;
    Ok(Report { kind: "links", nodes: graph.nodes().len(), outputs, warnings })
}

/// Writes a data set in parts.
fn shards(args: &ConvertArgs, parts: usize, session: &Session) -> anyhow::Result<Report> {
    let dataset = session.load(&args.data())?;
    let graph = &dataset.graph;
    let nodes = graph.nodes().len();
    if parts > nodes {
        let message = format!("{parts} shards of {nodes} nodes: a part needs a node");
        return Err(Failure::usage(message).help("ask for fewer shards").into());
    }
    let fresh = !args.output.exists();
    let spinner = session.spinner(format!("writing {}", args.output.display()));
    let written = write_shards(graph, &args.output, parts);
    drop(spinner);
    if let Err(error) = written {
        if fresh {
            // Nobody else's: it was not there before, and without a manifest it is of no use.
            let _ = fs::remove_dir_all(&args.output);
        }
        return Err(error.into());
    }
    let mut warnings = Vec::new();
    if graph.labels().is_some() {
        warnings.push("labels are not written into shards; read them from the data".to_owned());
    }
    let outputs = vec![args.output.display().to_string()];
    Ok(Report { kind: "data set in shards", nodes, outputs, warnings })
}

/// Writes a folder; returns its files and what the reader of them should know.
fn folder(
    graph: &Graph,
    folder: &Path,
    mapped: bool,
    mut staging: Staging,
) -> anyhow::Result<(Vec<String>, Vec<String>)> {
    let fresh = !folder.exists();
    let views = folder.join("views");
    let further = graph.blocks().iter().any(|b| b.name != "links" && b.name != "attributes");
    fs::create_dir_all(if further { &views } else { folder })
        .map_err(|error| cannot_write(folder, &error))?;
    let written = write_folder(graph, folder, mapped, &mut staging)
        .map_err(anyhow::Error::from)
        .and_then(|written| staging.commit().map(|()| written));
    let written = match written {
        Ok(written) => written,
        Err(error) => {
            if fresh {
                // Ours and empty, since nothing was moved into it; if something was, it stays.
                let _ = fs::remove_dir(views);
                let _ = fs::remove_dir(folder);
            }
            return Err(error);
        }
    };
    let warning = |(name, count): (String, usize)| {
        let text = format!("`{name}`: {count} rows are missing and were written as zero");
        format!("{text}; read the folder with --zero-rows missing")
    };
    Ok((written.files, written.missing.into_iter().map(warning).collect()))
}

fn links<'a>(graph: &'a Graph, title: &str) -> anyhow::Result<(&'a SparseMatrix, bool)> {
    let found = graph.block("links").and_then(|block| match (&block.matrix, block.kind) {
        (Matrix::Sparse(links), BlockKind::Links { directed }) => Some((links, directed)),
        _ => None,
    });
    found.ok_or_else(|| {
        let message = format!("{title}: found no links, expected a graph");
        Failure::misfit(message).help("convert to a folder to keep attributes").into()
    })
}

fn left_out(graph: &Graph) -> Vec<String> {
    let others = graph.blocks().iter().filter(|block| block.name != "links");
    let mut names: Vec<&str> = others.map(|block| block.name.as_str()).collect();
    names.extend(graph.labels().map(|_| "labels"));
    let text = format!("only links were written; left out: {}", names.join(", "));
    if names.is_empty() { Vec::new() } else { vec![text] }
}

fn lonely(links: &SparseMatrix) -> usize {
    let mut touched = vec![false; links.rows()];
    for row in 0..links.rows() {
        for &col in &links.indices()[links.row_range(row)] {
            (touched[row], touched[col as usize]) = (true, true);
        }
    }
    touched.iter().filter(|&&t| !t).count()
}
