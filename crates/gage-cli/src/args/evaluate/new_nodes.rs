//! `gage evaluate new-nodes`.

use clap::Args;

use super::{FitArgs, Share};
use crate::args::{DataArgs, LambdaArgs};

const EXAMPLES: &str = "\
Examples:
  gage evaluate new-nodes cora/
  gage evaluate new-nodes cora/ --preset paper --hold-out 0.2 --shuffles 10
  gage evaluate new-nodes --graph follows.tsv --attributes users.csv --labels groups.csv --json

The nodes are held out before anything is fitted, with all their links. A classifier trained on the
rows of the others predicts the classes of the held-out nodes from rows folded in (`gage fold-in`).
Beside it stands one trained on the same nodes in an embedding fitted to the same data of all nodes.
Links among held-out nodes are in neither.";

/// Hold out nodes, fold them in, and compare with fits of the same data.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NewNodesArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Share of the nodes to hold out
    #[arg(long, value_name = "SHARE", default_value = "0.1")]
    pub(crate) hold_out: Share,
    /// Random hold-outs
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) shuffles: usize,
    /// Weight of the data against the penalty of the classifier, as scikit-learn's C
    #[arg(long = "C", value_name = "C", default_value_t = 1.0)]
    pub(crate) c: f64,
    #[command(flatten)]
    pub(crate) fit: FitArgs,
    #[command(flatten)]
    pub(crate) lambda: LambdaArgs,
}
