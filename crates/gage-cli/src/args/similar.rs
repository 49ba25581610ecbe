//! `gage similar`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::LambdaArgs;

const EXAMPLES: &str = "\
Examples:
  gage similar debian.gage gimp
  gage similar debian.gage gimp vim -k 5 --lambda 0.9
  gage similar debian.gage gimp --metric distance --json

The columns after the similarity say how much of it each view contributes; they add up to it.";

/// Nearest nodes, and which views make them near.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SimilarArgs {
    /// Model written by `gage embed --model`
    #[arg(value_name = "M.gage")]
    pub(crate) model: PathBuf,
    /// Id of a node (its number, if the nodes have no names)
    #[arg(value_name = "NODE", required = true)]
    pub(crate) nodes: Vec<String>,
    /// How many neighbours
    #[arg(short = 'k', long = "neighbours", value_name = "K", default_value_t = 10)]
    pub(crate) neighbours: usize,
    /// What near means
    #[arg(long, value_enum, default_value_t = Metric::Cosine)]
    pub(crate) metric: Metric,
    #[command(flatten)]
    pub(crate) lambda: LambdaArgs,
}

/// What near means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Metric {
    /// large cosine of the angle between two rows
    Cosine,
    /// small squared distance between two rows
    Distance,
}
