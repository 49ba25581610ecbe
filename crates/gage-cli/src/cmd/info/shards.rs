//! `gage info` of a data set in shards.

use std::path::Path;

use gage_embed::io::{Manifest, Shards};
use serde::Serialize;

use crate::output::{bytes, count};
use crate::session::Session;

#[derive(Serialize)]
struct Report {
    kind: &'static str,
    nodes: usize,
    shards: usize,
    bytes: u64,
    blocks: Vec<BlockReport>,
    /// The largest part over the mean, in entries plus rows.
    largest_over_mean: f64,
    /// Nodes of other parts that the links of a part name, over all nodes: the largest.
    largest_halo: f64,
}

#[derive(Serialize)]
struct BlockReport {
    name: String,
    kind: &'static str,
    columns: usize,
    entries: u64,
}

pub(super) fn run(path: &Path, session: &Session) -> anyhow::Result<()> {
    let shards = Shards::open(path)?;
    let report = describe(shards.manifest());
    session.out.result(&[], &report, || text(&report))
}

fn describe(manifest: &Manifest) -> Report {
    let work = manifest.parts.iter().map(|part| {
        part.nodes as f64 + part.entries.iter().map(|&entries| entries as f64).sum::<f64>()
    });
    let (total, largest) = work.fold((0.0, 0.0), |(sum, most), x| (sum + x, f64::max(most, x)));
    let halo = manifest.parts.iter().flat_map(|part| part.foreign.iter().copied()).max();
    let blocks = manifest.blocks.iter().map(|block| BlockReport {
        name: block.name.clone(),
        kind: match (block.links, block.directed) {
            (true, true) => "directed links",
            (true, false) => "links",
            (false, _) => "attributes",
        },
        columns: block.columns,
        entries: block.entries,
    });
    Report {
        kind: "data set in shards",
        nodes: manifest.nodes,
        shards: manifest.parts.len(),
        bytes: manifest.parts.iter().map(|part| part.bytes).sum(),
        blocks: blocks.collect(),
        largest_over_mean: largest * manifest.parts.len() as f64 / total.max(1.0),
        largest_halo: halo.unwrap_or(0) as f64 / manifest.nodes.max(1) as f64,
    }
}

fn text(report: &Report) -> String {
    let mut text = format!(
        "{} nodes in {} shards, {}\n",
        count(report.nodes),
        report.shards,
        bytes(report.bytes as usize)
    );
    for BlockReport { name, kind, columns, entries } in &report.blocks {
        let (columns, entries) = (count(*columns), count(*entries as usize));
        text += &format!("  {name}: {kind}, {columns} columns, {entries} entries\n");
    }
    text += &format!(
        "largest shard {:.2} of the mean; a shard links to at most {:.1}% of the nodes outside\n",
        report.largest_over_mean,
        100.0 * report.largest_halo
    );
    text
}
