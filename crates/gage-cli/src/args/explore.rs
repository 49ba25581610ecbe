//! `gage explore`.

use std::path::PathBuf;

use clap::Args;

use super::DataArgs;

const EXAMPLES: &str = "\
Examples:
  gage explore cora.gage cora/
  gage explore debian.gage                         without the data: map and neighbours only
  gage explore cora.gage cora/ --no-open --port 8123
  gage explore cora.gage cora/ -o cora.html        one file to send around

The page is on this machine only, and its address holds a secret of this run: open the whole line
that is printed. Ctrl-C ends it.";

/// Show a model in the browser: its map, the neighbours of any node and which views make them near,
/// at any lambda.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExploreArgs {
    /// Model written by `gage embed --model`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Write one HTML file that needs no server, instead: map, neighbours and lambda, without the
    /// attributes and links of nodes; up to 20 000 nodes
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["port", "no_open", "no_cache"])]
    pub(crate) output: Option<PathBuf>,
    /// Port of this machine [default: any that is free]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
    /// Print the address only; do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Heading [default: the name of the model file]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Keep nothing for the next start; otherwise map and candidates are kept in MODEL.explore
    #[arg(long)]
    pub(crate) no_cache: bool,
}

impl ExploreArgs {
    /// The heading.
    pub(crate) fn title(&self) -> String {
        let stem = || self.model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.title.clone().unwrap_or_else(stem)
    }
}
