//! `gage demo`.

use std::path::PathBuf;

use clap::Args;

/// Embed, check, classify and draw an embedded data set of Debian packages.
#[derive(Args, Clone, Debug)]
pub(crate) struct DemoArgs {
    /// Folder for the page, the model and the data
    #[arg(short, long, value_name = "DIR", default_value = "gage-demo")]
    pub(crate) output: PathBuf,
}
