//! The `gage` command: attributed graphs in, node embeddings out.

mod args;
mod checkpoint;
mod cmd;
mod errors;
mod interrupt;
mod memory;
mod output;
mod progress;
mod staging;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    let session = cmd::Session::new(&cli.global);
    let outcome = cmd::run(&cli.command, &session);
    errors::finish(outcome, cli.global.json)
}
