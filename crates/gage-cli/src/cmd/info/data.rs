//! Statistics of a data set.

use gage_embed::graph::BlockKind;
use gage_embed::io::Reading;
use gage_embed::preset_selection::{AttributePrediction, GraphStatistics, select_views};
use gage_embed::solver::{TimeEstimate, timed_plan};
use gage_embed::views::DirectedViews;
use gage_embed::{Block, Dimension, FitParams, Matrix, Plan, SparseMatrix};
use gage_linalg::Values;
use serde::Serialize;

use super::readings::write_reading;
use crate::output::{bytes, count, table};
use crate::session::Loaded;

#[derive(Serialize)]
pub(super) struct DataReport {
    nodes: usize,
    named: bool,
    blocks: Vec<BlockReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<LabelReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<GraphStatistics>,
    /// Part of what every document has.
    #[serde(skip)]
    readings: Vec<Reading>,
    plan: PlanReport,
    suggestion: Suggestion,
}

#[derive(Serialize)]
struct BlockReport {
    name: String,
    kind: &'static str,
    storage: &'static str,
    columns: usize,
    entries: usize,
    weighted: bool,
    bytes: usize,
    missing_rows: usize,
    zero_rows: usize,
    missing_entries: usize,
    named_columns: bool,
    #[serde(flatten)]
    links: Option<LinkReport>,
}

#[derive(Serialize)]
struct LinkReport {
    directed: bool,
    self_loops: usize,
    components: usize,
    largest_component: usize,
    isolated_nodes: usize,
    mean_degree: f64,
    largest_degree: usize,
}

#[derive(Serialize)]
struct LabelReport {
    classes: usize,
    labelled_nodes: usize,
    several_per_node: bool,
}

#[derive(Serialize)]
struct PlanReport {
    #[serde(flatten)]
    plan: Plan,
    peak_bytes: usize,
    threads: usize,
    rough_seconds: f64,
    /// The same by the kind of work.
    rough_seconds_of: TimeEstimate,
}

#[derive(Serialize)]
struct Suggestion {
    preset: &'static str,
    views: Vec<(String, f64)>,
    reason: String,
}

/// Looks a data set over.
pub(super) fn describe(dataset: Loaded, dim: usize, seed: u64) -> anyhow::Result<DataReport> {
    let graph = &dataset.graph;
    let (preset, choice) = select_views(graph, DirectedViews::AsGiven);
    let views = preset.specs_for(graph, DirectedViews::AsGiven);
    let suggestion = Suggestion {
        preset: "auto",
        views: views.into_iter().map(|view| (view.name, view.weight)).collect(),
        reason: choice.rationale,
    };
    let facts = choice.statistics;
    let dimension = Dimension::Fixed(dim.clamp(1, graph.nodes().len().max(1)));
    // The preset as chosen, so that the facts are not measured again.
    let params = FitParams { dimension, seed, preset, ..FitParams::default() }.check()?;
    let (plan, time) = timed_plan(graph, &params)?;
    let threads = rayon::current_num_threads();
    let labels = graph.labels().map(|labels| LabelReport {
        classes: labels.class_names().len(),
        labelled_nodes: (0..labels.len()).filter(|&node| !labels.of(node).is_empty()).count(),
        several_per_node: labels.is_multi_label(),
    });
    Ok(DataReport {
        nodes: graph.nodes().len(),
        named: graph.nodes().is_named(),
        blocks: graph.blocks().iter().map(block).collect(),
        labels,
        facts,
        plan: PlanReport {
            peak_bytes: plan.peak_bytes(),
            plan,
            threads,
            rough_seconds: time.seconds(),
            rough_seconds_of: time,
        },
        suggestion,
        readings: dataset.readings,
    })
}

fn block(block: &Block) -> BlockReport {
    let known = |row: usize| block.observed.as_ref().is_none_or(|mask| mask.contains(row));
    let rows = block.matrix.rows();
    let (mut zero_rows, mut missing_entries, mut gone) = (0, 0, 0);
    for row in (0..rows).filter(|&row| known(row)) {
        match &block.matrix {
            Matrix::Sparse(sparse) => zero_rows += usize::from(sparse.row_range(row).is_empty()),
            Matrix::Dense(dense) => {
                let gaps = (0..dense.cols()).filter(|&c| dense.get(row, c).is_nan()).count();
                gone += usize::from(gaps == dense.cols());
                missing_entries += gaps % dense.cols().max(1);
                zero_rows += usize::from((0..dense.cols()).all(|c| dense.get(row, c) == 0.0));
            }
        }
    }
    let (kind, links) = match (&block.kind, &block.matrix) {
        (BlockKind::Links { directed }, Matrix::Sparse(sparse)) => {
            ("links", Some(link_report(sparse, *directed)))
        }
        (BlockKind::Links { .. }, _) => ("links", None),
        _ => ("attributes", None),
    };
    BlockReport {
        name: block.name.clone(),
        kind,
        storage: if matches!(block.matrix, Matrix::Sparse(_)) { "sparse" } else { "dense" },
        columns: block.matrix.cols(),
        entries: block.matrix.nnz(),
        weighted: !matches!(&block.matrix, Matrix::Sparse(s) if matches!(s.values(), Values::Ones)),
        bytes: block.matrix.bytes(),
        missing_rows: gone + block.observed.as_ref().map_or(0, |mask| mask.len() - mask.count()),
        zero_rows,
        missing_entries,
        named_columns: block.columns.is_some(),
        links,
    }
}

fn link_report(links: &SparseMatrix, directed: bool) -> LinkReport {
    let n = links.rows();
    let mut parent: Vec<u32> = (0..n as u32).collect();
    fn root(parent: &mut [u32], mut node: u32) -> u32 {
        while parent[node as usize] != node {
            let above = parent[parent[node as usize] as usize];
            parent[node as usize] = above;
            node = above;
        }
        node
    }
    let (mut self_loops, mut touched, mut largest_degree) = (0, vec![false; n], 0);
    for row in 0..n {
        largest_degree = largest_degree.max(links.row_range(row).len());
        for &col in &links.indices()[links.row_range(row)] {
            if col as usize == row {
                self_loops += 1;
                continue;
            }
            (touched[row], touched[col as usize]) = (true, true);
            let (a, b) = (root(&mut parent, row as u32), root(&mut parent, col));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut sizes = vec![0usize; n];
    for node in 0..n as u32 {
        sizes[root(&mut parent, node) as usize] += 1;
    }
    LinkReport {
        directed,
        self_loops,
        components: sizes.iter().filter(|&&size| size > 0).count(),
        largest_component: sizes.iter().copied().max().unwrap_or(0),
        isolated_nodes: touched.iter().filter(|&&t| !t).count(),
        mean_degree: links.nnz() as f64 / n.max(1) as f64,
        largest_degree,
    }
}

/// Says what predicts hidden attributes.
fn write_prediction(found: &AttributePrediction, text: &mut String) {
    let links = found.links.map_or_else(String::new, |links| format!(", by the links {links:.3}"));
    text.push_str(&format!(
        "{} hidden attributes of {} nodes, AUC: by their own attributes {:.3}, by two smoothings \
         {:.3}, by eight {:.3}{links}\n",
        found.columns,
        count(found.nodes),
        found.own,
        found.near,
        found.far
    ));
}

impl DataReport {
    /// The same for people.
    pub(super) fn text(&self) -> String {
        let names = if self.named { "with names" } else { "numbered from 0" };
        let mut text = format!("{} nodes, {names}\n", count(self.nodes));
        self.write_blocks(&mut text);
        if let Some(labels) = &self.labels {
            let labelled = count(labels.labelled_nodes);
            let classes = labels.classes;
            text.push_str(&format!("labels: {classes} classes, {labelled} nodes labelled\n"));
        }
        if let Some(found) = self.facts.as_ref().and_then(|facts| facts.prediction) {
            write_prediction(&found, &mut text);
        }
        self.write_cost_and_suggestion(&mut text);
        self.readings.iter().for_each(|reading| write_reading(reading, &mut text));
        text
    }

    /// A table of the blocks, then what is special about each.
    fn write_blocks(&self, text: &mut String) {
        let header = ["block", "kind", "columns", "entries", "missing rows", "zero rows", "size"];
        let mut rows = vec![header.map(String::from).to_vec()];
        rows.extend(self.blocks.iter().map(|block| {
            vec![
                block.name.clone(),
                format!("{} {}", block.storage, block.kind),
                count(block.columns),
                count(block.entries),
                count(block.missing_rows),
                count(block.zero_rows),
                bytes(block.bytes),
            ]
        }));
        text.push_str(&table(&rows));
        for block in &self.blocks {
            if block.missing_entries > 0 {
                text.push_str(&format!(
                    "{}: {} single entries missing\n",
                    block.name,
                    count(block.missing_entries)
                ));
            }
            let Some(links) = &block.links else { continue };
            text.push_str(&format!(
                "{}: {}{}, {} components (largest {}), {} isolated nodes, mean degree {:.1}, \
                 largest {}\n",
                block.name,
                if links.directed { "directed" } else { "undirected" },
                if block.weighted { ", weighted" } else { "" },
                count(links.components),
                count(links.largest_component),
                count(links.isolated_nodes),
                links.mean_degree,
                count(links.largest_degree),
            ));
        }
    }

    fn write_cost_and_suggestion(&self, text: &mut String) {
        let (plan, threads) = (&self.plan.plan, self.plan.threads);
        text.push_str(&format!(
            "a fit with {} columns: about {} of memory, at most {} passes, roughly {:.1} s on \
             {threads} cores as busy as now\n",
            plan.columns,
            bytes(self.plan.peak_bytes),
            plan.passes,
            self.plan.rough_seconds,
        ));
        let suggestion = &self.suggestion;
        let views: Vec<String> =
            suggestion.views.iter().map(|(name, weight)| format!("{name} {weight:.2}")).collect();
        text.push_str(&format!(
            "suggested: --preset {}, which means {}\n  {}\n",
            suggestion.preset,
            views.join(", "),
            suggestion.reason
        ));
    }
}
