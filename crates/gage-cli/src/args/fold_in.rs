//! `gage fold-in`.

use std::path::PathBuf;

use clap::Args;

use super::{ColumnArgs, FileArgs, LambdaArgs, SpellingArgs};

const EXAMPLES: &str = "\
Examples:
  gage fold-in cora.gage new-papers/ -o new.npy
  gage fold-in cora.gage --graph new-links.csv --attributes new-words.csv -o new.csv --lambda 0.5
  gage fold-in cora.gage new-papers/ --append -o more.gage

The graph of the new nodes is an edge list whose ids are joined with those of the model: ids the
model knows are fitted nodes, all others are new. Or it is a matrix with one row per new node and
one column per fitted node. Tables (CSV, Parquet) are encoded like the fitted table: with its
means, its categories, its words. Columns are matched by name where model and file have names, by
position otherwise.";

/// Embed new nodes with a model.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FoldInArgs {
    /// Model written by `gage embed --model`
    #[arg(value_name = "M.gage")]
    pub(crate) model: PathBuf,
    /// Folder with edges|adj|graph.* and attributes|features.* of the new nodes
    #[arg(value_name = "NEW")]
    pub(crate) new: Option<PathBuf>,
    /// Links between new and fitted nodes
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) graph: Option<PathBuf>,
    /// Attributes of the new nodes
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) attributes: Option<PathBuf>,
    /// Further relations or tables of the new nodes, named as at the fit; may be given more than
    /// once
    #[arg(long = "view", value_name = "NAME=FILE", value_parser = super::data::named_file)]
    #[arg(help_heading = "Input")]
    pub(crate) views: Vec<(String, PathBuf)>,
    /// Names of the new nodes, one a line, for matrix files
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) nodes: Option<PathBuf>,
    /// Names of the columns of an attribute matrix, one a line
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) columns: Option<PathBuf>,
    /// Write the nodes of the model, too, and the new ones behind them: as an embedding, or as a
    /// model if OUT ends in .gage, for similar, index, plot and reweight
    #[arg(long, help_heading = "Output")]
    pub(crate) append: bool,
    #[command(flatten)]
    pub(crate) reading: ColumnArgs,
    #[command(flatten)]
    pub(crate) ids: SpellingArgs,
    #[command(flatten)]
    pub(crate) lambda: LambdaArgs,
    #[command(flatten)]
    pub(crate) file: FileArgs,
}
