//! `gage plot`: a two-dimensional map of a fitted model, coloured by class.

mod classes;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use gage_embed::{Lambda, Model};
use gage_plot::layout::{LayoutParams, layout};
use gage_plot::{Scene, draw_png, draw_svg, page};
use serde::Serialize;

pub use gage_plot::Theme;

use crate::write_file;

/// Arguments of `gage plot`.
#[derive(Args, Clone, Debug)]
pub struct PlotArgs {
    /// Fitted model (.gage)
    pub model: PathBuf,
    /// Picture to write; the extension says which kind: .svg, .png or .html (interactive, one file)
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Classes to colour by: a data set folder, .npy, .npz, or text with a label (or an id and a label) a line
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Share of the links in the embedding, 0 to 1 [default: as the model was fitted]
    #[arg(long, value_name = "SHARE")]
    pub lambda: Option<f64>,
    /// Neighbours each node is held to; more show the whole, fewer show detail
    #[arg(long, default_value_t = LayoutParams::default().neighbours, value_name = "K")]
    pub neighbours: usize,
    /// Side of the map in pixels (.svg and .png)
    #[arg(long, default_value_t = 1000, value_name = "PIXELS")]
    pub size: usize,
    /// Heading [default: the name of the model file]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Light on dark (.svg and .png; .html follows the reader's settings)
    #[arg(long)]
    pub dark: bool,
}

impl PlotArgs {
    /// The options these arguments mean.
    pub fn options(&self, seed: u64) -> PlotOptions {
        PlotOptions {
            model: self.model.clone(),
            output: self.output.clone(),
            labels: self.labels.clone(),
            lambda: self.lambda.map_or(Lambda::Preset, Lambda::Links),
            size: self.size,
            title: self.title.clone(),
            theme: if self.dark { Theme::Dark } else { Theme::Light },
            layout: LayoutParams { neighbours: self.neighbours, seed, ..LayoutParams::default() },
        }
    }
}

/// What to draw, and where.
#[derive(Clone, Debug)]
pub struct PlotOptions {
    /// Fitted model.
    pub model: PathBuf,
    /// Picture to write.
    pub output: PathBuf,
    /// Classes to colour by.
    pub labels: Option<PathBuf>,
    /// Shares of the views.
    pub lambda: Lambda,
    /// Side of the map in pixels.
    pub size: usize,
    /// Heading.
    pub title: Option<String>,
    /// Colours of still pictures.
    pub theme: Theme,
    /// How the map is laid out.
    pub layout: LayoutParams,
}

/// What was drawn.
#[derive(Clone, Debug, Serialize)]
pub struct PlotReport {
    /// The picture.
    pub output: PathBuf,
    /// Points.
    pub nodes: usize,
    /// Classes with members.
    pub classes: usize,
    /// Bytes of the picture.
    pub bytes: u64,
    /// Seconds the layout took.
    pub layout_seconds: f64,
}

/// Kinds of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Svg,
    Png,
    Html,
}

fn kind(path: &Path) -> Result<Kind> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("svg") => Ok(Kind::Svg),
        Some("png") => Ok(Kind::Png),
        Some("html" | "htm") => Ok(Kind::Html),
        _ => bail!(
            "{}: cannot tell the kind of picture; end the name in .svg, .png or .html",
            path.display()
        ),
    }
}

/// Draws a map of a model and says so to `out`.
pub fn run(options: &PlotOptions, out: &mut dyn Write) -> Result<PlotReport> {
    let kind = kind(&options.output)?;
    if !(100..=20_000).contains(&options.size) {
        bail!("a map of {} pixels is out of range: give 100 to 20000", options.size);
    }
    let model = Model::load(&options.model)?;
    let labels =
        options.labels.as_deref().map(|path| classes::read(path, model.nodes())).transpose()?;
    let embedding = model.embedding(&options.lambda)?.to_f32();
    let started = Instant::now();
    let points = layout(&embedding, None, &options.layout);
    let layout_seconds = started.elapsed().as_secs_f64();
    let stem = || options.model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let title = options.title.clone().unwrap_or_else(stem);
    let scene = Scene::new(title, &points, model.nodes().ids().collect(), labels.as_ref());
    let bytes = match kind {
        Kind::Png => draw_png(&scene, options.size, options.theme)?,
        Kind::Svg => draw_svg(&scene, options.size, options.theme)?.into_bytes(),
        Kind::Html => page::map_page(&scene)?.into_bytes(),
    };
    write_file(&options.output, |out| Ok(out.write_all(&bytes)?))?;
    let report = PlotReport {
        output: options.output.clone(),
        nodes: scene.points.len(),
        classes: scene.by_size().len(),
        bytes: bytes.len() as u64,
        layout_seconds,
    };
    writeln!(
        out,
        "{}: {} nodes, {} classes, laid out in {:.1} s",
        report.output.display(),
        report.nodes,
        report.classes,
        report.layout_seconds
    )?;
    Ok(report)
}
