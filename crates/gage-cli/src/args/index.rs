//! `gage index`.

use std::path::PathBuf;

use clap::Args;

use super::{LambdaArgs, Metric};

const EXAMPLES: &str = "\
Examples:
  gage index debian.gage                       writes debian.gage.index, which `gage similar` finds
  gage index debian.gage --lambda 0.9          writes debian.gage.lambda-0.9.index beside it
  gage index vectors.npy --metric distance -o near.index
  gage fold-in m.gage new/ --append -o more.gage && gage index more.gage --extend m.gage.index

An index serves one set of shares and one metric. It says how many of the true neighbours it
finds, measured on 200 nodes against exact answers.";

/// Build an index, so that `gage similar` answers at once at any number of nodes.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct IndexArgs {
    /// Model written by `gage embed --model`, or an embedding
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Index to write [default: MODEL.index]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What near means
    #[arg(long, value_enum, default_value_t = Metric::Cosine)]
    pub(crate) metric: Metric,
    /// Share of the true neighbours that searches must find
    #[arg(long, value_name = "0..1", default_value_t = 0.95)]
    pub(crate) recall: f64,
    /// Index of a model whose nodes come first in this one, as `gage fold-in --append` writes it:
    /// its lists serve again, with its metric and its recall
    #[arg(long, value_name = "INDEX", conflicts_with_all = ["metric", "recall"])]
    pub(crate) extend: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) lambda: LambdaArgs,
}
