//! `gage info`.

use clap::Args;

use super::DataArgs;

const EXAMPLES: &str = "\
Examples:
  gage info cora/
  gage info cora.gage
  gage info --graph edges.csv --attributes people.csv --json

Agreement is the mean tf-idf cosine of the attributes over links, divided by the same over random
pairs of nodes with the same degrees: far above 1 where links join like nodes, near 1 where they
do not.";

/// Describe a data set or a model.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Columns to estimate memory and passes for
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub(crate) dim: usize,
}
