//! The `gage` command: attributed graphs in, node embeddings out.

mod args;
mod checkpoint;
mod cmd;
mod errors;
mod index_file;
mod interrupt;
mod labels;
mod memory;
mod model_summary;
mod output;
mod progress;
mod session;
mod source;
mod staging;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    let session = session::Session::new(&cli.global);
    let outcome = cmd::run(&cli.command, &session);
    errors::finish(outcome, cli.global.json)
}
