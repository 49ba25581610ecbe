//! `gage convert`: the same data in another format.

mod folder;

use gage_embed::io::write_csr;
use gage_embed::{BlockKind, Graph, Matrix, SparseMatrix};
use serde::Serialize;

use super::Session;
use crate::args::{ConvertArgs, Kind, missing};
use crate::errors::Failure;
use crate::inputs::Inputs;
use crate::read::{is_embedding, read_embedding};
use crate::write::{
    self, Embedding, Format, Staging, ids_path, write_edges, write_matrix_market, write_sparse,
};

#[derive(Serialize)]
struct Report {
    command: &'static str,
    kind: &'static str,
    nodes: usize,
    outputs: Vec<String>,
    warnings: Vec<String>,
}

pub(crate) fn run(args: &ConvertArgs, session: &Session) -> anyhow::Result<()> {
    if !args.input.exists() {
        return Err(missing(&args.input).into());
    }
    let kind = args.kind.unwrap_or_else(|| {
        let embedding = args.input.is_file() && is_embedding(&args.input);
        if embedding { Kind::Embedding } else { Kind::Data }
    });
    let report = match kind {
        Kind::Embedding => embedding(args)?,
        Kind::Data => data(args, session)?,
    };
    session.out.remarks("warning", &report.warnings);
    if args.output.as_os_str() == "-" {
        return Ok(());
    }
    session.out.summary(&report, || format!("wrote {}\n", report.outputs.join(", ")))
}

fn embedding(args: &ConvertArgs) -> anyhow::Result<Report> {
    let inputs = Inputs::at(&args.input).and(&ids_path(&args.input));
    let mut staging = Staging::new(inputs);
    let planned = write::plan(&mut staging, &args.output, args.format)?;
    let (nodes, numbers) = read_embedding(&args.input)?;
    planned.write(&mut staging, &Embedding { nodes: &nodes, numbers: &numbers })?;
    staging.commit()?;
    Ok(Report {
        command: "convert",
        kind: "embedding",
        nodes: nodes.len(),
        outputs: planned.files(),
        warnings: Vec::new(),
    })
}

fn data(args: &ConvertArgs, session: &Session) -> anyhow::Result<Report> {
    let data = args.data();
    let mut staging = Staging::new(data.inputs()?);
    let extension = args.output.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if extension.is_empty() || args.output.is_dir() {
        let dataset = session.load(&data)?;
        let (outputs, warnings) =
            folder::write(&dataset.graph, &args.output, args.mapped, staging)?;
        let nodes = dataset.graph.nodes().len();
        return Ok(Report { command: "convert", kind: "data set", nodes, outputs, warnings });
    }
    let format = match (extension.as_str(), args.format) {
        ("mtx", None) => Links::MatrixMarket,
        ("csr", None) => Links::Mapped,
        ("npz", None) | (_, Some(Format::Npz)) => Links::Npz,
        ("csv", None) | (_, Some(Format::Csv)) => Links::Edges(','),
        ("tsv" | "tab" | "txt" | "edges" | "edgelist", None) | (_, Some(Format::Tsv)) => {
            Links::Edges('\t')
        }
        _ => {
            let message = format!("{}: links cannot be written like this", args.output.display());
            let help =
                "end the name in .npz, .csr, .mtx, .csv or .tsv; without extension it is a folder";
            return Err(Failure::usage(message).help(help).into());
        }
    };
    let target = staging.claim(&args.output)?;
    let mut outputs = vec![args.output.display().to_string()];
    let dataset = session.load(&data)?;
    let graph = &dataset.graph;
    let (links, directed) = links(graph, &data.title())?;
    let mut warnings = left_out(graph);
    match format {
        Links::Npz => staging.write(&target, |out| write_sparse(links, out))?,
        Links::Mapped => staging.write(&target, |out| write_csr(links, out))?,
        Links::MatrixMarket => staging.write(&target, |out| write_matrix_market(links, out))?,
        Links::Edges(separator) => {
            let nodes = graph.nodes();
            staging.write(&target, |out| write_edges(links, nodes, directed, separator, out))?;
            if directed {
                let text = "the links have a direction, which an edge list does not say";
                warnings.push(format!("{text}; read it with --directed out, in or both"));
            }
            let lonely = lonely(links);
            if lonely > 0 {
                warnings.push(format!(
                    "{lonely} nodes have no link, so an edge list does not name them"
                ));
            }
        }
    }
    // Matrices have no room for names.
    if graph.nodes().is_named() && !matches!(format, Links::Edges(_)) {
        let path = ids_path(&args.output);
        let target = staging.claim(&path)?;
        staging
            .write(&target, |out| graph.nodes().ids().try_for_each(|id| writeln!(out, "{id}")))?;
        outputs.push(path.display().to_string());
    }
    staging.commit()?;
    Ok(Report { command: "convert", kind: "links", nodes: graph.nodes().len(), outputs, warnings })
}

#[derive(Clone, Copy)]
enum Links {
    Npz,
    Mapped,
    MatrixMarket,
    Edges(char),
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
