//! `gage evaluate cluster`.

use std::path::PathBuf;

use clap::Args;

use super::{EmbeddingArgs, LabelArgs};

const EXAMPLES: &str = "\
Examples:
  gage evaluate cluster cora.npy --labels cora/
  gage evaluate cluster cora.gage --lambda 0.5 --labels cora/ --clusters 7
  gage evaluate cluster vectors.csv --clusters 12

Without --labels only silhouettes are measured, and --clusters is needed.";

/// Cluster an embedding and compare with classes.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ClusterArgs {
    #[command(flatten)]
    pub(crate) embedding: EmbeddingArgs,
    /// Classes to compare with: a file, a data set folder or a .mat file
    #[arg(long, value_name = "L", help_heading = "Input")]
    pub(crate) labels: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) join: LabelArgs,
    /// Number of clusters [default: the number of classes with members]
    #[arg(short = 'k', long = "clusters", visible_alias = "k", value_name = "K")]
    pub(crate) clusters: Option<usize>,
    /// Independent clusterings
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) shuffles: usize,
    /// Starts of k-means in each; the best is kept
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) restarts: usize,
    /// Silhouettes are taken over at most this many nodes
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) sample: usize,
}
