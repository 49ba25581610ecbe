//! The `gage` command: attributed graphs in, node embeddings out.
//!
//! A library, so that the program and the Python package run the same command.

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

use std::ffi::OsString;

use gage_linalg::memory::catch;

pub use exhausted::EndingAllocator;

/// Runs the command with its arguments, the name of the program first, and returns the exit code.
///
/// It owns the process: it listens to Ctrl-C, starts the threads of all parallel work, and ends the
/// process when memory runs out, if [`EndingAllocator`] is the allocator.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    exhausted::prepare();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let (cli, out) = match usage::parse(&arguments) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    exhausted::report_to(&out);
    gage_embed::io::keep_streams();
    #[cfg(unix)]
    mapped_fault::install();
    let run = || {
        cli.command.check_streams()?;
        let session = session::Session::new(&cli.global, out.clone())?;
        cmd::run(&cli.command, &session)
    };
    let outcome = catch(run).unwrap_or_else(|lack| Err(exhausted::failure(lack.bytes).into()));
    errors::finish(outcome, &out)
}
