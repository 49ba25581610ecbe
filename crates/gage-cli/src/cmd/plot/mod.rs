//! `gage plot`: a two-dimensional map of a model or an embedding, coloured by classes or numbers.

mod classes;

use std::path::Path;
use std::time::Instant;

use gage_embed::io::{Inputs, Target};
use gage_embed::{Nodes, Tall};
use gage_explorer::{MapPage, map_page};
use gage_plot::layout::{Point, layout, unit_rows};
use gage_plot::{Scene, draw_png, draw_svg};
use serde::Serialize;

use self::classes::Colouring;
use crate::args::PlotArgs;
use crate::errors::Failure;
use crate::interrupt;
use crate::session::Session;
use crate::source::Source;
use crate::staging::Staging;

/// What was drawn.
#[derive(Serialize)]
struct Report {
    output: String,
    nodes: usize,
    /// what the nodes are coloured by
    coloured_by: Option<&'static str>,
    /// classes, or ranges of numbers, with members
    classes: usize,
    bytes: u64,
    layout_seconds: f64,
}

/// Kinds of pictures.
#[derive(Clone, Copy)]
enum Kind {
    Svg,
    Png,
    Html,
}

impl Kind {
    /// The kind an extension stands for.
    fn of(path: &Path) -> Result<Kind, Failure> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match extension.as_str() {
            "svg" => Ok(Kind::Svg),
            "png" => Ok(Kind::Png),
            "html" | "htm" => Ok(Kind::Html),
            _ => {
                let path = path.display();
                let message = format!("{path}: found no known extension for a picture");
                Err(Failure::usage(message).help("end the name in .svg, .png or .html"))
            }
        }
    }
}

/// A laid-out embedding.
struct Map<'a> {
    args: &'a PlotArgs,
    nodes: &'a Nodes,
    embedding: &'a Tall<f32>,
    points: Vec<Point>,
    colouring: &'a Colouring,
    seed: u64,
}

impl Map<'_> {
    fn scene(&self) -> Scene {
        let (title, ids) = (self.args.title(), self.nodes.ids().collect());
        match self.colouring {
            Colouring::Nothing => Scene::new(title, &self.points, ids, None),
            Colouring::Classes(labels) => Scene::new(title, &self.points, ids, Some(labels)),
            Colouring::Numbers(values) => Scene::of_values(title, &self.points, ids, values),
        }
    }

    /// The page of the explorer, with this map in it.
    fn page(self) -> anyhow::Result<String> {
        let number = |value: &Option<f64>| value.map_or(f32::NAN, |value| value as f32);
        let (labels, scale) = match self.colouring {
            Colouring::Nothing => (None, None),
            Colouring::Classes(labels) => (Some(labels), None),
            Colouring::Numbers(values) => (None, Some(values.iter().map(number).collect())),
        };
        Ok(map_page(MapPage {
            title: self.args.title(),
            nodes: self.nodes,
            unit: &unit_rows(self.embedding),
            points: self.points,
            labels,
            scale: scale.map(|values| ("value".to_owned(), values)),
            seed: self.seed,
        })?)
    }

    fn draw(self, kind: Kind, scene: &Scene) -> anyhow::Result<Vec<u8>> {
        let args = self.args;
        Ok(match kind {
            Kind::Png => draw_png(scene, args.size(), args.theme())?,
            Kind::Svg => draw_svg(scene, args.size(), args.theme())?.into_bytes(),
            Kind::Html => self.page()?.into_bytes(),
        })
    }
}

pub(crate) fn run(args: &PlotArgs, session: &Session) -> anyhow::Result<()> {
    let kind = Kind::of(&args.output)?;
    let inputs = args.labels.iter().fold(Inputs::at(&args.model), |all, path| all.and(path));
    let mut staging = Staging::new(inputs);
    let target = staging.claim(&args.output)?;
    let source = Source::read(&args.model, &args.lambda, session)?;
    let (nodes, rows) = source.into_rows(&args.model, &args.lambda)?;
    let colouring = match &args.labels {
        None => Colouring::Nothing,
        Some(path) => {
            let column = args.label_column.as_deref();
            let labels = classes::read(path, column, &nodes, args.join, session)?;
            Colouring::of(labels, args.label_kind, session)?
        }
    };
    let embedding = rows.to_f32();
    let clock = Instant::now();
    let spinner = session.spinner("laying out the map");
    let points = layout(&embedding, None, &args.layout(session.seed));
    drop(spinner);
    interrupt::check()?;
    let layout_seconds = clock.elapsed().as_secs_f64();
    let map = Map {
        args,
        nodes: &nodes,
        embedding: &embedding,
        points,
        colouring: &colouring,
        seed: session.seed,
    };
    let scene = map.scene();
    let picture = map.draw(kind, &scene)?;
    staging.write(&target, |out| out.write_all(&picture))?;
    staging.commit()?;
    if target == Target::Stdout {
        return Ok(());
    }
    let output = args.output.display().to_string();
    let report = Report {
        output,
        nodes: scene.points.len(),
        coloured_by: colouring.name(),
        classes: scene.by_size().len(),
        bytes: picture.len() as u64,
        layout_seconds,
    };
    session.out.summary(std::slice::from_ref(&report.output), &report, || text(&report))
}

fn text(report: &Report) -> String {
    let Report { output, nodes, classes, layout_seconds, .. } = report;
    let ranges = if report.coloured_by == Some("numbers") { "ranges" } else { "classes" };
    format!("{output}: {nodes} nodes, {classes} {ranges}, laid out in {layout_seconds:.1} s\n")
}
