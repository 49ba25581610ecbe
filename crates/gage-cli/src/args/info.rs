//! `gage info`.

use clap::Args;

use super::{DataArgs, PresetArg};

const EXAMPLES: &str = "\
Examples:
  gage info cora/
  gage info cora.gage
  gage info --graph edges.csv --attributes people.csv --json
  gage info cora/ --recipe > recipe.toml            then: gage embed cora/ --views recipe.toml

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
    /// Print the views that a preset would fit, as a recipe to be edited and given to `--views`
    #[arg(long)]
    pub(crate) recipe: bool,
    /// The preset of that recipe [default: auto]
    #[arg(long, value_enum, requires = "recipe")]
    pub(crate) preset: Option<PresetArg>,
}
