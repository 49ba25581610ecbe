//! `gage-mpi plan`: memory, bytes and time of a fit, from the manifest of the shards.

use anyhow::{bail, ensure};
use gage_core::graph::{Block, Graph, Nodes};
use gage_core::views::{Source, Transform, ViewSpec};
use gage_core::{FitParams, FitRequest};
use gage_io::{BlockEntry, Manifest, Shards};
use gage_linalg::SparseMatrix;
use serde::Serialize;

use crate::args::PlanArgs;

/// Columns that estimating the norm of a view multiplies it by, in single precision.
const NORM_COLUMNS: f64 = 128.0;

/// Columns that travel at a time.
const PANEL: f64 = 32.0;

/// Bytes of a row of a sparse sign sketch.
const SKETCH_ROW: f64 = 32.0;

/// Bytes of an entry while a matrix is transposed over processes, and while it goes round the ring.
const MOVED_ENTRY: (f64, f64) = (16.0, 12.0);

/// What each process of a fit will take, as predicted.
#[derive(Serialize)]
struct Prediction {
    ranks: usize,
    nodes: usize,
    columns: usize,
    views: Vec<String>,
    /// Rows of others that a process needs for one product with every view.
    halo_rows: f64,
    /// Whether they were counted (as many processes as shards, and no view that joins both
    /// directions of links); otherwise it is an upper bound for graphs without locality.
    halo_is_exact: bool,
    bytes_sent: f64,
    memory: f64,
    exchange_seconds: f64,
    compute_seconds: f64,
}

pub fn run(args: &PlanArgs) -> anyhow::Result<()> {
    let shards = Shards::open(&args.shards)?;
    let manifest = shards.manifest();
    ensure!(args.ranks > 0, "--ranks is 0, but a fit needs a process");
    if args.ranks > manifest.parts.len() {
        bail!("{} processes for {} shards: at most one for each", args.ranks, manifest.parts.len());
    }
    let request = args.fit.request()?;
    let prediction = predict(manifest, request, args)?;
    println!("{}", serde_json::to_string_pretty(&prediction)?);
    Ok(())
}

/// Sizes of a fit over some processes.
struct Sizes<'a> {
    manifest: &'a Manifest,
    ranks: f64,
    /// Whether every process has one part.
    exact: bool,
    /// Bytes of a number.
    number: f64,
    /// Columns of the blocks of the basis.
    widths: Vec<f64>,
}

fn predict(
    manifest: &Manifest,
    request: FitRequest,
    args: &PlanArgs,
) -> anyhow::Result<Prediction> {
    let number = request.precision.bytes() as f64;
    let params = request.params(manifest.nodes)?;
    let views = views(manifest, &params)?;
    let columns = params.dimension.most().min(manifest.nodes);
    let widths = params.basis.planned_widths(views.len(), columns, manifest.nodes);
    let widths: Vec<f64> = widths.into_iter().map(|width| width as f64).collect();
    let (ranks, exact) = (args.ranks as f64, args.ranks == manifest.parts.len());
    let sizes = Sizes { manifest, ranks, exact, number, widths };
    let bytes_sent = if args.ranks == 1 { 0.0 } else { sizes.bytes(&views, columns as f64) };
    let both = views.iter().any(|view| sizes.joins_directions(view));
    let halo_rows = views.iter().map(|view| sizes.rows(view).0 + sizes.rows(view).1).sum();
    let work = views.iter().map(|view| sizes.work(view)).sum::<f64>();
    Ok(Prediction {
        ranks: args.ranks,
        nodes: manifest.nodes,
        columns,
        views: views.iter().map(|view| view.name.clone()).collect(),
        halo_rows,
        halo_is_exact: exact && !both,
        bytes_sent,
        memory: sizes.memory(&views),
        exchange_seconds: bytes_sent / args.bandwidth,
        compute_seconds: work * sizes.pass_columns() / ranks / (args.speed * 1e9),
    })
}

/// The views of a fit of blocks without rows: which there are depends on their kinds only.
fn views(manifest: &Manifest, params: &FitParams) -> anyhow::Result<Vec<ViewSpec>> {
    if let Some(views) = &params.views {
        return Ok(views.clone());
    }
    ensure!(
        params.preset.selection.is_none(),
        "preset `{}` selects views, which is not possible over several workers",
        params.preset.name
    );
    let mut graph = Graph::new(Nodes::numbered(0).as_part(0, manifest.nodes));
    for entry in &manifest.blocks {
        let matrix = SparseMatrix::empty(0, entry.columns)?;
        graph = graph.with_block(match entry.links {
            true => Block::links(&entry.name, matrix, entry.directed),
            false => Block::attributes(&entry.name, matrix),
        })?;
    }
    Ok(params.preset.specs_for(&graph, params.directed))
}

impl Sizes<'_> {
    fn others(&self) -> f64 {
        (self.ranks - 1.0) / self.ranks
    }

    fn block(&self, name: &str) -> Option<(usize, &BlockEntry)> {
        self.manifest.blocks.iter().enumerate().find(|(_, block)| block.name == name)
    }

    fn source(&self, view: &ViewSpec) -> Option<(usize, &BlockEntry)> {
        match &view.source {
            Source::Block(name) => self.block(name),
            Source::Identity => None,
        }
    }

    /// Whether a view is smoothed over links in both directions, which no part counts.
    fn joins_directions(&self, view: &ViewSpec) -> bool {
        view.propagate.as_ref().is_some_and(|over| {
            let symmetric = matches!(over.transform, Transform::Symmetric { .. });
            symmetric && self.block(&over.block).is_some_and(|(_, block)| !block.symmetric)
        })
    }

    /// Smoothings of one application.
    fn steps(view: &ViewSpec) -> f64 {
        let steps = |over: &gage_core::views::Propagate| over.steps.coefficients().len() - 1;
        view.propagate.as_ref().map_or(0, steps) as f64
    }

    /// Rows of others for one application: by the source, and by the smoothings.
    fn rows(&self, view: &ViewSpec) -> (f64, f64) {
        let source = self.source(view).map_or(0.0, |(at, _)| self.halo(at));
        let over = view.propagate.as_ref().and_then(|over| self.block(&over.block));
        let both = if self.joins_directions(view) { 2.0 } else { 1.0 };
        (source, over.map_or(0.0, |(at, _)| both * self.halo(at)) * Sizes::steps(view))
    }

    /// Multiply-adds of one application to one column.
    fn work(&self, view: &ViewSpec) -> f64 {
        let source = self.source(view).map_or(0.0, |(_, block)| block.entries as f64);
        let over = view.propagate.as_ref().and_then(|over| self.block(&over.block));
        source + over.map_or(0.0, |(_, block)| block.entries as f64) * Sizes::steps(view)
    }

    /// Columns of all passes: every block is made by one and multiplied by another.
    fn pass_columns(&self) -> f64 {
        2.0 * self.widths.iter().sum::<f64>()
    }

    /// Rows of others that a process needs for one product with a block: the mean over processes.
    fn halo(&self, at: usize) -> f64 {
        let (manifest, block) = (self.manifest, &self.manifest.blocks[at]);
        if self.exact {
            let parts = manifest.parts.iter().map(|part| match block.links {
                true => part.foreign[at] as f64,
                // Columns are owned evenly, whoever names them.
                false => part.touched[at] as f64 * self.others(),
            });
            return parts.sum::<f64>() / self.ranks;
        }
        // A column with `d` entries anywhere is named by `P (1 - (1 - 1/P)^d)` processes.
        let named = |entries: f64| self.ranks * (1.0 - (1.0 - 1.0 / self.ranks).powf(entries));
        let columns = block.column_entries.iter();
        columns.map(|[entries, count]| count * named(*entries)).sum::<f64>() * self.others()
            / self.ranks
    }

    /// Bytes that a process sends.
    fn bytes(&self, views: &[ViewSpec], columns: f64) -> f64 {
        let all: f64 = self.widths.iter().sum();
        let first = self.widths.first().copied().unwrap_or(0.0);
        let passes = views.iter().map(|view| {
            let (source, smoothed) = self.rows(view);
            // The first block is made of a sketch, which is all that the source receives.
            SKETCH_ROW * source
                + self.number * first * smoothed
                + self.number * (2.0 * all - first) * (source + smoothed)
                // Sums of columns, in double precision; the plans of who sends what.
                + 8.0 * (source + smoothed)
                + 4.0 * (source + smoothed / Sizes::steps(view).max(1.0))
                + self.norm_bytes(view)
        });
        let squares: f64 = self.widths.iter().map(|width| width * width).sum();
        // Of the block and of every view; in the end of the factors.
        let sums = squares * (views.len() + 1) as f64 + columns * columns;
        passes.sum::<f64>() + 2.0 * 8.0 * self.others() * sums
    }

    /// Bytes of the norm of a view.
    fn norm_bytes(&self, view: &ViewSpec) -> f64 {
        let (source, smoothed) = self.rows(view);
        let estimated = 4.0 * NORM_COLUMNS * (source + smoothed);
        let Some((_, block)) = self.source(view).filter(|_| view.propagate.is_none()) else {
            return estimated;
        };
        let limit = if self.manifest.nodes.min(block.columns) <= 1 << 14 { 2e9 } else { 1e8 }
            + 16.0 * block.entries as f64;
        if block.dense || block.row_squares.min(block.column_squares) > limit {
            return estimated;
        }
        let by_columns = block.row_squares <= block.column_squares;
        let rows = if by_columns { block.columns } else { self.manifest.nodes } as f64 / self.ranks;
        let entries = block.entries as f64 / self.ranks;
        let moved = if by_columns { MOVED_ENTRY.0 * entries * self.others() } else { 0.0 };
        moved + (self.ranks / 2.0).floor() * (MOVED_ENTRY.1 * entries + 24.0 * rows)
    }

    /// Bytes of memory: shards with transposes, the block, projections and what is made of them,
    /// and panels of needed rows.
    fn memory(&self, views: &[ViewSpec]) -> f64 {
        let stored: f64 = self.manifest.parts.iter().map(|part| part.bytes as f64).sum();
        let owned = |view: &ViewSpec| {
            self.source(view).map_or(self.manifest.nodes, |(_, block)| block.columns) as f64
        };
        let rows = 2.0 * self.manifest.nodes as f64 + views.iter().map(owned).sum::<f64>();
        let width = self.widths.iter().copied().fold(0.0, f64::max);
        let needed =
            views.iter().map(|view| self.rows(view).0 + self.rows(view).1).fold(0.0, f64::max);
        2.0 * stored / self.ranks
            + self.number * rows * width / self.ranks
            + 3.0 * PANEL * self.number * needed
    }
}
