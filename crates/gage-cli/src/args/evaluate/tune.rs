//! `gage evaluate tune`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gage_embed::io::{EmbeddingFormat, read_recipe};
use gage_embed::views::ViewRecipe;

use super::Share;
use crate::args::options::embedding_format;
use crate::args::{DataArgs, PrecisionArg, PresetArg};

const EXAMPLES: &str = "\
Examples:
  gage evaluate tune cora/
  gage evaluate tune cora/ --presets balanced,paper --dims 64,128 -o best.npy --model best.gage
  gage evaluate tune cora/ --presets auto --views mine.toml
  gage evaluate tune --graph edges.csv --attributes people.csv --labels groups.csv --json

A share of the labels is kept aside. Fits and shares are compared by cross-validation on the other
labels alone; then the choice is trained on all of these and tested on the labels kept aside,
which it has never seen. Embeddings use no labels.";

/// Choose views, dimension and shares by cross-validation.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Share of the labelled nodes kept aside for the test
    #[arg(long, value_name = "SHARE", default_value = "0.2")]
    pub(crate) holdout: Share,
    /// Folds of the other labelled nodes
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) folds: usize,
    /// Presets to try, one fit for each and each dimension [default: auto,balanced,paper; none
    /// beside --views]
    #[arg(long, value_enum, value_delimiter = ',')]
    presets: Vec<PresetArg>,
    /// Views given by hand to try, one fit for each file and each dimension: a recipe as `gage info
    /// DATA --recipe` prints it; may be given more than once
    #[arg(long = "views", value_name = "RECIPE.toml")]
    recipes: Vec<PathBuf>,
    /// Numbers of columns to try [default: 128, or the number of nodes if that is less]
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub(crate) dims: Vec<std::num::NonZeroUsize>,
    /// Weights of the views in the fit to try besides those of the presets; may be given more than
    /// once
    #[arg(long, value_name = "A,B,...", value_parser = weights)]
    pub(crate) weights: Vec<Weights>,
    /// Number of lambdas, evenly from 0 to 1; they cost no fit
    #[arg(long, value_name = "N", default_value_t = 11)]
    #[arg(value_parser = clap::value_parser!(u16).range(2..=1001))]
    pub(crate) steps: u16,
    /// Try lambdas only, not the share of each view by itself
    #[arg(long)]
    pub(crate) lambda_only: bool,
    /// What to make large
    #[arg(long, value_enum, default_value_t = MeasureArg::Micro)]
    pub(crate) measure: MeasureArg,
    /// Weight of the data against the penalty
    #[arg(long = "C", value_name = "C", default_value_t = 1.0)]
    pub(crate) c: f64,
    /// Number type of the embedding and of the work
    #[arg(long, value_enum, default_value_t = PrecisionArg::F32)]
    pub(crate) precision: PrecisionArg,
    /// Embedding of the choice to write, in any format of `gage embed`
    #[arg(long, short, value_name = "OUT", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Format, if the extension does not say it
    #[arg(long, value_parser = embedding_format(), requires = "output", help_heading = "Output")]
    pub(crate) format: Option<EmbeddingFormat>,
    /// Model of the choice to write
    #[arg(long, value_name = "M.gage", help_heading = "Output")]
    pub(crate) model: Option<PathBuf>,
}

impl TuneArgs {
    /// Presets and recipes to try, with their names.
    pub(crate) fn views(&self) -> anyhow::Result<Vec<(String, Option<ViewRecipe>)>> {
        let by_default = [PresetArg::Auto, PresetArg::Balanced, PresetArg::Paper];
        let presets = match (&self.presets[..], &self.recipes[..]) {
            ([], []) => &by_default,
            (presets, _) => presets,
        };
        let presets = presets.iter().map(|preset| Ok((preset.name().to_owned(), None)));
        let recipe = |path: &PathBuf| Ok((path.display().to_string(), Some(read_recipe(path)?)));
        presets.chain(self.recipes.iter().map(recipe)).collect()
    }
}

/// Weights of one fit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights(pub(crate) Vec<f64>);

fn weights(text: &str) -> Result<Weights, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(str::parse).collect();
    let numbers = numbers.map_err(|_| "expected numbers such as 0.3,1,0.3".to_owned())?;
    Ok(Weights(numbers))
}

/// Measures to choose by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasureArg {
    /// pooled F1
    Micro,
    /// mean F1 of the classes
    Macro,
}
