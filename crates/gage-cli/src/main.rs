//! The `gage` program.

use std::process::ExitCode;

use gage_cli::EndingAllocator;

#[global_allocator]
static ALLOCATOR: EndingAllocator = EndingAllocator;

fn main() -> ExitCode {
    ExitCode::from(gage_cli::run(std::env::args_os()))
}
