//! The `gage` command: attributed graphs in, node embeddings out.

mod args;
mod checkpoint;
mod cmd;
mod errors;
mod exhausted;
mod index_file;
mod interrupt;
mod labels;
#[cfg(unix)]
mod mapped_fault;
mod memory;
mod model_summary;
mod output;
mod progress;
mod session;
mod source;
mod staging;

use std::process::ExitCode;

use clap::Parser;
use gage_linalg::memory::catch;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    exhausted::prepare(cli.global.json);
    #[cfg(unix)]
    mapped_fault::install();
    let run = || {
        let session = session::Session::new(&cli.global)?;
        cmd::run(&cli.command, &session)
    };
    let outcome = catch(run).unwrap_or_else(|lack| Err(exhausted::failure(lack.bytes).into()));
    errors::finish(outcome, cli.global.json)
}
