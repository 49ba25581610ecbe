//! `gage-bench floor DATA`: the time of a fit, kernel by kernel, beside what the machine could do
//! at best.

mod floor;
mod machine;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Measures fits against what the machine could do at best")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Time of a fit over (passes at the measured memory bandwidth + dense work at the measured
    /// rate)
    Floor(floor::Args),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Floor(args) => floor::run(&args),
    }
}
