//! `gage plot`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gage_plot::Theme;
use gage_plot::layout::LayoutParams;

use super::{JoinArgs, LambdaArgs};

const EXAMPLES: &str = "\
Examples:
  gage plot cora.gage -o map.html --labels cora/
  gage plot people.npy -o map.png --labels ages.csv
  gage fold-in cora.gage new/ --append -o more.gage && gage plot more.gage -o map.svg";

/// Draw a 2-D map of the nodes of a model or an embedding.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlotArgs {
    /// Model (.gage), or an embedding in any format `gage embed` writes
    pub(crate) model: PathBuf,
    /// Picture to write; the extension says which kind: .svg, .png or .html (interactive, one file)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Classes to colour by: a data set, .npy, .npz, or text with a label (or an id and a label) a
    /// line
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Column of a table that holds the classes
    #[arg(long, value_name = "NAME")]
    pub(crate) label_column: Option<String>,
    /// What the labels are [default: numbers, if they have fractions or are more than 48; said]
    #[arg(long, value_enum, requires = "labels")]
    pub(crate) label_kind: Option<LabelKind>,
    #[command(flatten)]
    pub(crate) join: JoinArgs,
    #[command(flatten)]
    pub(crate) lambda: LambdaArgs,
    /// Neighbours per node in the layout; more show the global shape, fewer show detail
    #[arg(long, default_value_t = LayoutParams::default().neighbours, value_name = "K")]
    neighbours: usize,
    /// Side of the map in pixels, 100 to 20000 (.svg and .png)
    #[arg(long, default_value_t = 1000, value_name = "PIXELS")]
    #[arg(value_parser = clap::value_parser!(u16).range(100..=20_000))]
    size: u16,
    /// Heading [default: the name of the model file]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Light on dark (.svg and .png; .html follows the reader's settings)
    #[arg(long)]
    dark: bool,
}

impl PlotArgs {
    /// How the map is laid out.
    pub(crate) fn layout(&self, seed: u64) -> LayoutParams {
        LayoutParams { neighbours: self.neighbours, seed, ..LayoutParams::default() }
    }

    /// The heading.
    pub(crate) fn title(&self) -> String {
        let stem = || self.model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.title.clone().unwrap_or_else(stem)
    }

    /// Side of a still picture in pixels.
    pub(crate) fn size(&self) -> usize {
        usize::from(self.size)
    }

    /// Colours of a still picture.
    pub(crate) fn theme(&self) -> Theme {
        if self.dark { Theme::Dark } else { Theme::Light }
    }
}

/// What labels are coloured as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LabelKind {
    /// classes, each with a colour and a mark
    Category,
    /// numbers, coloured by ranges
    Number,
}
