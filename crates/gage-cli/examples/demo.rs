//! Runs the parts of this library on their own:
//! `cargo run --release -p gage-cli --example demo -- demo|plot|generate --help`.

use clap::{Parser, Subcommand};
use gage_cli::{demo, generate, plot};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Seed of everything random
    #[arg(long, default_value_t = 0, global = true)]
    seed: u64,
}

#[derive(Subcommand)]
enum Command {
    /// Embed, check, classify and draw a few thousand Debian packages
    Demo(demo::DemoArgs),
    /// Draw a map of a model
    Plot(plot::PlotArgs),
    /// Make an attributed graph
    Generate(generate::GenerateArgs),
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let out = &mut std::io::stdout().lock();
    match arguments.command {
        Command::Demo(args) => drop(demo::run(&args.options(arguments.seed), out)?),
        Command::Plot(args) => drop(plot::run(&args.options(arguments.seed), out)?),
        Command::Generate(args) => drop(generate::run(&args.options(arguments.seed), out)?),
    }
    Ok(())
}
