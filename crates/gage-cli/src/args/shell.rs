//! `gage completions` and `gage man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Print completions for a shell.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  gage completions bash > ~/.local/share/bash-completion/completions/gage
  gage completions fish > ~/.config/fish/completions/gage.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Print the manual page, or write the pages of all commands.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  gage man | man -l -
  gage man --dir ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Folder to write one page per command to
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
