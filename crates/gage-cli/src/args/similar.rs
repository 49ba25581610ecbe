//! `gage similar`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{LambdaArgs, SpellingArgs};

const EXAMPLES: &str = "\
Examples:
  gage similar debian.gage gimp
  gage similar debian.gage gimp vim -k 5 --lambda 0.9
  gage similar debian.gage gimp --metric distance --json
  gage similar vectors.npy gimp

The columns after the similarity say how much of it each view contributes; they add up to it. All
rows are compared, unless there are 100 000 or more and `gage index` has built an index: then the
answer is approximate, and says how good it is.";

/// Nearest nodes, and which views make them near.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SimilarArgs {
    /// Model written by `gage embed --model`, or an embedding
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Id of a node (its number, if the nodes have no names)
    #[arg(value_name = "NODE", required = true)]
    pub(crate) nodes: Vec<String>,
    /// How many neighbours
    #[arg(short = 'k', long = "neighbours", alias = "k", value_name = "K", default_value_t = 10)]
    pub(crate) neighbours: usize,
    /// What near means
    #[arg(long, value_enum, default_value_t = Metric::Cosine)]
    pub(crate) metric: Metric,
    /// Compare all rows, even if there is an index
    #[arg(long)]
    pub(crate) exact: bool,
    /// Index to use, whatever the number of nodes [default: MODEL.index from 100 000 nodes on]
    #[arg(long, value_name = "FILE", conflicts_with = "exact")]
    pub(crate) index: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) ids: SpellingArgs,
    #[command(flatten)]
    pub(crate) lambda: LambdaArgs,
}

/// What near means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Metric {
    /// large cosine of the angle between two rows
    #[default]
    Cosine,
    /// small squared distance between two rows
    Distance,
}

impl From<Metric> for gage_embed::search::Metric {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Cosine => gage_embed::search::Metric::Cosine,
            Metric::Distance => gage_embed::search::Metric::Distance,
        }
    }
}
