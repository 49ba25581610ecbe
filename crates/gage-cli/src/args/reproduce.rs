//! `gage reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  gage reproduce datasets/ -o report/
  gage reproduce datasets/ -o report/ --only tables,links --presets paper,balanced
  gage reproduce datasets/ -o quick/ --quick --datasets webkb
  gage reproduce datasets/ -o report/ --only defaults
  gage reproduce datasets/ -o report/ --only tables,links --datasets webkb --methods gae,dgi

DATASETS_DIR holds one folder for each data set: wiki, webkb and blogcatalog for the paper. Every
finished part is kept in report/parts, under a hash of its data and parameters; the same command
goes on where it was stopped.";

/// Run the experiments of the paper again.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReproduceArgs {
    /// Folder with one folder for each data set
    #[arg(value_name = "DATASETS_DIR")]
    pub(crate) folder: PathBuf,
    /// Folder for report.html, report.json, report.md and the finished parts
    #[arg(short, long, value_name = "DIR", default_value = "report")]
    pub(crate) output: PathBuf,
    /// Presets to classify with and to time
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "paper,balanced,auto"
    )]
    pub(crate) presets: Vec<String>,
    /// Presets to predict links with
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "paper,links")]
    pub(crate) link_presets: Vec<String>,
    /// Other methods of the paper to run in its setting, some of tpine, deepwalk, gae, vgae, tadw,
    /// dgi, age and dane, or `none` [default: tpine and tadw; with --all every one]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) methods: Vec<String>,
    /// Folders of the data sets to use [default: all that a part needs]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) datasets: Vec<String>,
    /// Parts to make [default: all but defaults]
    #[arg(long, value_enum, value_name = "PARTS", value_delimiter = ',')]
    pub(crate) only: Vec<PartArg>,
    /// Make every part, with the comparison of defaults on ten data sets and every method of the
    /// paper: hours
    #[arg(long, conflicts_with = "only")]
    pub(crate) all: bool,
    /// Two shuffles and the smallest dimension: to see that it works
    #[arg(long)]
    pub(crate) quick: bool,
    /// In the comparison of defaults, also run slow methods on large graphs
    #[arg(long)]
    pub(crate) slow: bool,
    /// Do everything again, finished parts as well
    #[arg(long)]
    pub(crate) fresh: bool,
}

/// Parts of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PartArg {
    /// data sets and classification
    Tables,
    /// link prediction
    Links,
    /// running times
    Time,
    /// scores at every lambda
    Figures,
    /// presets and baselines on ten data sets
    Defaults,
}

impl ReproduceArgs {
    /// Whether a part was requested.
    pub(crate) fn wants(&self, part: PartArg) -> bool {
        match &self.only[..] {
            [] => self.all || part != PartArg::Defaults,
            only => only.contains(&part),
        }
    }
}
