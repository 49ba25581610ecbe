//! `gage generate`: attributed graphs with planted classes, of any size, for trying and measuring.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use gage_embed::SparseMatrix;
use gage_embed::eval::{PlantedGraph, PlantedParams};
use gage_embed::io::{CsrArrays, Inputs, NpyArray, write_npz_csr};
use serde::Serialize;

use crate::args::GenerateArgs;
use crate::errors::cannot_write;
use crate::interrupt;
use crate::session::Session;
use crate::staging::Staging;

/// The files of the data set.
const FILES: [&str; 4] = ["adj.npz", "features.npz", "labels.npy", "meta.json"];

/// What came out.
#[derive(Serialize)]
struct Report {
    output: PathBuf,
    #[serde(skip)]
    outputs: Vec<String>,
    nodes: usize,
    /// each link counted once
    links: u64,
    mean_degree: f64,
    largest_degree: usize,
    /// share of links inside a class
    homophily: f64,
    attribute_entries: u64,
    class_sizes: Vec<u64>,
}

pub(crate) fn run(args: &GenerateArgs, session: &Session) -> anyhow::Result<()> {
    let graph = PlantedGraph::new(args.params(session.seed))?;
    fs::create_dir_all(&args.output).map_err(|error| cannot_write(&args.output, &error))?;
    let mut staging = Staging::new(Inputs::default());
    let paths = FILES.map(|name| args.output.join(name));
    let claimed: Vec<_> = paths.iter().map(|path| staging.claim(path)).collect::<Result<_, _>>()?;
    let [adjacency, features, labels, meta] = &claimed[..] else { return Ok(()) };
    let spinner = session.spinner("drawing links");
    staging.write(labels, |out| class_numbers(&graph).write(out))?;
    let links = graph.links();
    staging.write(adjacency, |out| write_counts(&links, out))?;
    let mut report = Report {
        output: args.output.clone(),
        outputs: paths.iter().map(|path| path.display().to_string()).collect(),
        nodes: links.rows(),
        links: links.nnz() as u64 / 2,
        mean_degree: links.nnz() as f64 / links.rows() as f64,
        largest_degree: (0..links.rows()).map(|row| links.row_range(row).len()).max().unwrap_or(0),
        homophily: graph.edge_homophily(&links),
        attribute_entries: 0,
        class_sizes: graph.class_sizes(),
    };
    // Links and attributes need not be in memory at once.
    drop((links, spinner));
    interrupt::check()?;
    let _spinner = session.spinner("drawing attributes");
    let attributes = graph.attributes();
    staging.write(features, |out| write_counts(&attributes, out))?;
    report.attribute_entries = attributes.nnz() as u64;
    let text = serde_json::to_string_pretty(&description(&report, graph.params()))?;
    staging.write(meta, |out| writeln!(out, "{text}"))?;
    staging.commit()?;
    session.out.summary(&report.outputs, &report, || summary(&report))
}

/// One class a node, as NumPy writes integers.
fn class_numbers(graph: &PlantedGraph) -> NpyArray<'_> {
    NpyArray::new("<i8", 8, &[graph.classes().len()], |sink| {
        graph.classes().iter().try_for_each(|&class| sink(&i64::from(class).to_le_bytes()))
    })
}

/// Entries turned into bytes at a time.
const CHUNK: usize = 1 << 14;

/// Writes a matrix of whole numbers up to 255, in one byte each.
fn write_counts(matrix: &SparseMatrix, out: &mut dyn Write) -> io::Result<()> {
    let nnz = matrix.nnz();
    let arrays = CsrArrays {
        shape: (matrix.rows(), matrix.cols()),
        nnz: nnz as u64,
        indices: &|sink| matrix.indices().chunks(CHUNK).try_for_each(sink),
        indptr: &|sink| matrix.indptr().chunks(CHUNK).try_for_each(sink),
        data: NpyArray::new("|u1", 1, &[nnz], |sink| {
            (0..nnz).step_by(CHUNK).try_for_each(|start| {
                let entries = start..(start + CHUNK).min(nnz);
                let bytes: Vec<u8> = entries.map(|at| matrix.values().get(at) as u8).collect();
                sink(&bytes)
            })
        }),
    };
    write_npz_csr(arrays, out)
}

/// `meta.json`: what the data set is, and how to make it again.
fn description(report: &Report, params: &PlantedParams) -> serde_json::Value {
    let version = env!("CARGO_PKG_VERSION");
    let names: Vec<String> = (0..params.classes).map(|class| format!("class {class}")).collect();
    serde_json::json!({
        "name": "generated",
        "source": format!("gage generate {version}, attributed degree-corrected block model"),
        "label_meaning": "planted class",
        "class_names": names,
        "options": params,
        "N": report.nodes,
        "nnz": 2 * report.links,
        "d": params.attributes,
        "xnnz": report.attribute_entries,
        "edge_homophily": report.homophily,
        "directed": false,
    })
}

fn summary(report: &Report) -> String {
    format!(
        "{}: {} nodes, {} links (mean degree {:.1}, largest {}), {:.0}% of them inside one of {} \
         classes, {} attribute entries\n",
        report.output.display(),
        report.nodes,
        report.links,
        report.mean_degree,
        report.largest_degree,
        100.0 * report.homophily,
        report.class_sizes.len(),
        report.attribute_entries
    )
}
