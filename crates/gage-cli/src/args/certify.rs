//! `gage certify`.

use std::path::PathBuf;

use clap::Args;

use super::DataArgs;

const EXAMPLES: &str = "\
Examples:
  gage certify cora.gage cora/
  gage certify cora.gage --graph edges.csv --attributes words.csv --json
  gage certify cora.gage cora/ -o certified.gage    keep the certificate with the model

The certificate compares squared distances between nodes in the data with those of the model, view
by view, and the loss with the least loss any model with as many columns could have.";

/// Measure what a model promises against the data.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CertifyArgs {
    /// Model written by `gage embed --model`
    #[arg(value_name = "M.gage")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Model to write, with the certificate in it
    #[arg(long, short, value_name = "OUT.gage", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
}
