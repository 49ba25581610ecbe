//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use gage_core::views::DirectedViews;
use gage_core::{Columns, Dimension, FitRequest, Lambda, Only};
use gage_io::read_recipe;
use gage_linalg::Precision;

const EXAMPLES: &str = "\
Examples:
  gage convert big/ shards/ --shards 256
  mpirun -n 16 gage-mpi embed shards/ -o out/ --preset balanced --checkpoint ck/
  gage merge out/ -o big.npy
  gage-mpi plan shards/ --ranks 64 --bandwidth 25Gb/s";

/// Node embeddings of graphs that no machine holds: the solver of `gage embed` over MPI.
#[derive(Debug, Parser)]
#[command(name = "gage-mpi", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Embed the nodes of a data set in shards
    Embed(Box<EmbedArgs>),
    /// Predict memory, bytes and time of a fit from the manifest of the shards
    Plan(PlanArgs),
}

/// What the fit is.
#[derive(Clone, Debug, Args)]
pub struct FitArgs {
    /// Columns: a number, `auto` (the fewest that keep 0.9 of the energy) or `auto:SHARE`
    #[arg(long, value_name = "N|auto|auto:SHARE", value_parser = columns)]
    pub dim: Option<Columns>,
    /// Views and how they are scaled; presets that select views need all rows in one process
    #[arg(long, default_value = "balanced")]
    pub preset: String,
    /// Views by hand, as a recipe (.toml or .json)
    #[arg(long, value_name = "FILE")]
    pub views: Option<PathBuf>,
    /// Weights of the views in the fit, in their order
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    pub weights: Option<Vec<f64>>,
    /// How directed links become views
    #[arg(long, value_enum)]
    pub directed: Option<DirectedArg>,
    /// Fit links or attributes only
    #[arg(long, value_enum)]
    pub only: Option<OnlyArg>,
    /// Number type of the embedding and of the work
    #[arg(long, value_enum, default_value_t = PrecisionArg::F32)]
    pub precision: PrecisionArg,
    /// Iterate until further iterations would lower the loss by less than this share of it
    #[arg(long, value_name = "SHARE")]
    pub tolerance: Option<f64>,
    /// Refine the fit at full size
    #[arg(long)]
    pub refine: bool,
    /// Measure what the embedding promises
    #[arg(long)]
    pub certify: bool,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

#[derive(Clone, Debug, Args)]
pub struct EmbedArgs {
    /// Data set in shards, which `gage convert --shards` wrote
    #[arg(value_name = "DIR")]
    pub shards: PathBuf,
    /// Folder for the parts of the embedding, one for each process
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub fit: FitArgs,
    /// Share of the views with links, between 0 and 1 [default: as the preset says]
    #[arg(long, value_name = "0..1")]
    pub lambda: Option<f64>,
    /// Folder for checkpoints: a stopped fit with the same processes and options goes on from there
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Threads of each process [default: its cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// No progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Clone, Debug, Args)]
pub struct PlanArgs {
    /// Data set in shards
    #[arg(value_name = "DIR")]
    pub shards: PathBuf,
    /// Processes
    #[arg(long, value_name = "N")]
    pub ranks: usize,
    /// What each process can send, for example 25Gb/s
    #[arg(long, value_name = "RATE", value_parser = rate, default_value = "10Gb/s")]
    pub bandwidth: f64,
    /// Multiply-adds of each process in a second
    #[arg(long, value_name = "GFLOPS", default_value_t = 10.0)]
    pub speed: f64,
    #[command(flatten)]
    pub fit: FitArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PrecisionArg {
    F32,
    F64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DirectedArg {
    Out,
    In,
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnlyArg {
    Links,
    Attributes,
}

impl FitArgs {
    /// What is requested of the library.
    pub fn request(&self) -> anyhow::Result<FitRequest> {
        Ok(FitRequest {
            preset: self.preset.clone(),
            columns: self.dim.unwrap_or_default(),
            directed: match self.directed {
                None => DirectedViews::AsGiven,
                Some(DirectedArg::Out) => DirectedViews::Out,
                Some(DirectedArg::In) => DirectedViews::In,
                Some(DirectedArg::Both) => DirectedViews::Both,
            },
            weights: self.weights.clone(),
            recipe: self.views.as_ref().map(read_recipe).transpose()?,
            only: self.only.map(|only| match only {
                OnlyArg::Links => Only::Links,
                OnlyArg::Attributes => Only::Attributes,
            }),
            precision: match self.precision {
                PrecisionArg::F32 => Precision::F32,
                PrecisionArg::F64 => Precision::F64,
            },
            seed: self.seed,
            tolerance: self.tolerance,
            refine: self.refine,
            certify: self.certify,
            // Tables for new nodes need all rows in one process.
            loadings: false,
        })
    }
}

impl EmbedArgs {
    /// The shares of the embedding.
    pub fn lambda(&self) -> Lambda {
        self.lambda.map_or(Lambda::Preset, Lambda::Links)
    }
}

/// `64`, `auto` or `auto:0.95`.
fn columns(text: &str) -> Result<Columns, String> {
    let number = |text: &str| text.parse().ok().filter(|&columns: &usize| columns > 0);
    let share = |text: &str| text.parse().ok().filter(|&share: &f64| share > 0.0 && share < 1.0);
    match text.strip_prefix("auto:") {
        Some(text) => share(text).map(Columns::Energy),
        None if text == "auto" => Some(Columns::Energy(Dimension::DEFAULT_ENERGY)),
        None => number(text).map(Columns::Fixed),
    }
    .ok_or_else(|| "expected a number, `auto`, or `auto:SHARE` with a share from 0 to 1".to_owned())
}

/// `25Gb/s`, `400Mb/s`, `3GB/s`: bytes in a second.
fn rate(text: &str) -> Result<f64, String> {
    let expected = "expected a rate such as 25Gb/s, 400Mb/s or 3GB/s";
    let text = text.trim_end_matches("/s").trim_end_matches("it");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "Gb" => 1e9 / 8.0,
        "Mb" => 1e6 / 8.0,
        "GB" => 1e9,
        "MB" => 1e6,
        _ => return Err(expected.to_owned()),
    };
    let number: Option<f64> = number.parse().ok().filter(|&rate: &f64| rate > 0.0);
    number.map(|number| number * factor).ok_or_else(|| expected.to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
        assert_eq!(rate("25Gb/s"), Ok(25e9 / 8.0));
        assert_eq!(rate("3GB/s"), Ok(3e9));
        assert!(rate("fast").is_err() && rate("0Gb/s").is_err());
        assert_eq!(columns("auto:0.5"), Ok(Columns::Energy(0.5)));
        assert!(columns("auto:1").is_err() && columns("0").is_err());
    }
}
