//! `gage evaluate sweep`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{FitArgs, LinkTaskArgs, Share};
use crate::args::DataArgs;

const EXAMPLES: &str = "\
Examples:
  gage evaluate sweep cora/ -o lambda.svg
  gage evaluate sweep cora/ --task links --remove 0.5 --shuffles 3 -o links.svg
  gage evaluate sweep cora/ --task cluster --steps 21 --json

One fit serves every lambda (one for each shuffle of links, since each hides others). The best
lambda is found on the nodes it is measured on, so its value flatters: `gage evaluate tune`
chooses without looking.";

/// A task at every lambda from 0 to 1.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// What to measure
    #[arg(long, value_enum, default_value_t = TaskArg::Classify)]
    pub(crate) task: TaskArg,
    /// Number of lambdas, evenly from 0 to 1
    #[arg(long, value_name = "N", default_value_t = 11)]
    #[arg(value_parser = clap::value_parser!(u16).range(2..=1001))]
    pub(crate) steps: u16,
    /// Plot to write (.svg)
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Random splits, removals or clusterings at each lambda
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) shuffles: usize,
    /// classify: shares of the labelled nodes to train on
    #[arg(long, value_name = "SHARES", value_delimiter = ',', default_value = "0.5")]
    pub(crate) train: Vec<Share>,
    /// classify: weight of the data against the penalty
    #[arg(long = "C", value_name = "C", default_value_t = 1.0)]
    pub(crate) c: f64,
    #[command(flatten)]
    pub(crate) links: LinkTaskArgs,
    /// cluster: number of clusters [default: the number of classes with members]
    #[arg(short = 'k', long = "clusters", visible_alias = "k", value_name = "K")]
    pub(crate) clusters: Option<usize>,
    #[command(flatten)]
    pub(crate) fit: FitArgs,
}

/// Tasks that can be measured at every lambda.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TaskArg {
    /// node classification
    Classify,
    /// link prediction
    Links,
    /// clustering
    Cluster,
}
