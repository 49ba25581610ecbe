//! `gage-mpi`: fits over MPI. Started by `mpirun` or `srun`, one process for each socket.

#![allow(missing_docs, reason = "a program, not a library")]

mod args;
mod calls;
mod checkpoint;
mod embed;
mod failure;
mod plan;
mod progress;
mod world;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use world::World;

fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Command::Plan(args) = &cli.command {
        // Needs no other process.
        return match plan::run(args) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}", failure::text(&error, None));
                ExitCode::FAILURE
            }
        };
    }
    let world = match World::start() {
        Ok(world) => world,
        Err(error) => {
            eprintln!("{}", failure::text(&error, None));
            return ExitCode::FAILURE;
        }
    };
    world.end_all_on_panic();
    let Command::Embed(args) = &cli.command else { unreachable!("the other one returned") };
    match embed::run(args, &world) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => world.fail(&error),
    }
}
