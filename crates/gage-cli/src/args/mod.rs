//! Raw command-line flags. Commands resolve them into parameters of the library.

mod alignment;
mod certify;
mod columns;
mod convert;
mod data;
mod demo;
mod embed;
pub(crate) mod evaluate;
mod explore;
mod fold_in;
mod generate;
mod index;
mod info;
mod inputs;
mod merge;
mod options;
mod plot;
mod reproduce;
mod reweight;
mod shell;
mod similar;
mod values;
mod views;

use clap::{Args, Parser, Subcommand};

use crate::errors::EXIT_CODES;

pub(crate) use alignment::{JoinArgs, SpellingArgs};
pub(crate) use certify::CertifyArgs;
pub(crate) use columns::ColumnArgs;
pub(crate) use convert::{ConvertArgs, Kind};
pub(crate) use data::{DataArgs, DirectedArg, missing};
pub(crate) use demo::DemoArgs;
pub(crate) use embed::{EmbedArgs, PrecisionArg, PresetArg};
pub(crate) use explore::ExploreArgs;
pub(crate) use fold_in::FoldInArgs;
pub(crate) use generate::GenerateArgs;
pub(crate) use index::IndexArgs;
pub(crate) use info::InfoArgs;
pub(crate) use merge::MergeArgs;
pub(crate) use options::{FileArgs, LambdaArgs};
pub(crate) use plot::{LabelKind, PlotArgs};
pub(crate) use reproduce::{PartArg, ReproduceArgs};
pub(crate) use reweight::ReweightArgs;
pub(crate) use shell::{CompletionsArgs, ManArgs};
pub(crate) use similar::{Metric, SimilarArgs};
pub(crate) use views::ViewArgs;

const EXAMPLES: &str = "\
Examples:
  gage embed cora/ -o cora.npy --model cora.gage    one vector per node, and the model behind it
  gage reweight cora.gage --lambda 0.3 -o more-attributes.npy
  gage similar cora.gage node17 -k 5
  gage info cora/
  gage demo                                         all of it on embedded data

";

/// Node embeddings that keep both geometries of an attributed graph: who links to whom, and who
/// looks like whom.
#[derive(Debug, Parser)]
#[command(name = "gage", version, max_term_width = 100)]
#[command(after_help = format!("{EXAMPLES}{EXIT_CODES}"))]
pub(crate) struct Cli {
    /// What every command understands.
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct GlobalArgs {
    /// Print the result as JSON on standard output (errors as JSON on standard error)
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// Print results and errors only: no progress, notes, warnings or summaries
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
    /// Number of threads [default: all cores]; the result does not depend on it
    #[arg(long, global = true, value_name = "N", help_heading = "Global options")]
    pub(crate) threads: Option<std::num::NonZeroUsize>,
    /// Seed of everything random; commands without chance ignore it
    #[arg(
        long,
        global = true,
        value_name = "N",
        default_value_t = 0,
        help_heading = "Global options"
    )]
    pub(crate) seed: u64,
}

/// The commands: one line here, one in `cmd::run`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Embed the nodes of a data set
    Embed(Box<EmbedArgs>),
    /// Embed with other shares of the views, from a model: no data needed, nothing is fitted again
    Reweight(ReweightArgs),
    /// Embed new nodes with a model
    FoldIn(Box<FoldInArgs>),
    /// Measure what a model promises against the data
    Certify(Box<CertifyArgs>),
    /// Nearest nodes, and which views make them near
    Similar(SimilarArgs),
    /// Build an index, so that `similar` answers at once at any number of nodes
    Index(IndexArgs),
    /// Describe a data set or a model
    Info(Box<InfoArgs>),
    /// Convert data sets, graphs and embeddings between formats
    Convert(Box<ConvertArgs>),
    /// Join the parts of an embedding that several processes wrote
    Merge(MergeArgs),
    /// Measure how good an embedding is: classes, links, clusters, every lambda, and the best
    /// choice of them
    Evaluate(evaluate::EvaluateArgs),
    /// Run the experiments of the paper again: its tables and figures, our numbers beside the
    /// published ones
    Reproduce(ReproduceArgs),
    /// Show a model in the browser: its map, the neighbours of any node and which views make them
    /// near, at any lambda
    Explore(Box<ExploreArgs>),
    /// Draw a 2-D map of the nodes of a model
    Plot(PlotArgs),
    /// Make an attributed graph with planted classes, of any size
    Generate(GenerateArgs),
    /// Embed, check, classify and draw an embedded data set of Debian packages
    Demo(DemoArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands
    Man(ManArgs),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
