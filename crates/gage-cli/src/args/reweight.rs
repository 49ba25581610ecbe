//! `gage reweight`.

use std::path::PathBuf;

use clap::Args;

use super::{FileArgs, LambdaArgs};

const EXAMPLES: &str = "\
Examples:
  gage reweight cora.gage --lambda 0.3 -o cora-0.3.npy
  gage reweight cora.gage --shares 0.2,1,0.5 -o cora.csv";

/// Embed with other shares of the views.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReweightArgs {
    /// Model written by `gage embed --model`
    #[arg(value_name = "M.gage")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) lambda: LambdaArgs,
    #[command(flatten)]
    pub(crate) file: FileArgs,
}
