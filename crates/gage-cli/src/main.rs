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
mod usage;

use std::process::ExitCode;

use gage_linalg::memory::catch;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let (cli, out) = match usage::parse(&arguments) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    exhausted::prepare(&out);
    #[cfg(unix)]
    mapped_fault::install();
    let run = || {
        let session = session::Session::new(&cli.global, out.clone())?;
        cmd::run(&cli.command, &session)
    };
    let outcome = catch(run).unwrap_or_else(|lack| Err(exhausted::failure(lack.bytes).into()));
    errors::finish(outcome, &out)
}
