//! `gage merge`.

use std::path::PathBuf;

use clap::Args;

use super::FileArgs;

const EXAMPLES: &str = "\
Examples:
  gage merge out/ -o big.npy                   the parts that `gage-mpi embed` wrote, as one file";

/// Join the parts of an embedding that several processes wrote.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MergeArgs {
    /// Folder with the parts
    #[arg(value_name = "DIR")]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) file: FileArgs,
}
