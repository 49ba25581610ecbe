//! The `gage` command: attributed graphs in, node embeddings out.

mod args;
mod checkpoint;
mod cmd;
mod errors;
mod inputs;
mod interrupt;
mod memory;
mod output;
mod progress;
mod read;
mod write;

use std::process::ExitCode;

use clap::Parser;

/// Partial sums and small matrices of some hundred kilobytes come and go all the time; the allocator of the C library gives
/// them back to the system and faults them in again (80,000 page faults in a fit of WordNet, 3,000 with this one).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    let session = cmd::Session::new(&cli.global);
    let outcome = cmd::run(&cli.command, &session);
    errors::finish(outcome, cli.global.json)
}
