//! Flags that say which views are fitted.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gage_embed::Only;
use gage_embed::io::read_recipe;
use gage_embed::views::ViewRecipe;

/// Views that no preset chooses.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ViewArgs {
    /// Views given by hand, instead of a preset: a file as `gage info DATA --recipe` prints it
    #[arg(long = "views", value_name = "RECIPE.toml", conflicts_with = "preset")]
    #[arg(help_heading = "Embedding")]
    pub(crate) recipe: Option<PathBuf>,
    /// Fit to this part of the data alone, as if there were no other: a true ablation, which a
    /// lambda of 0 or 1 is not
    #[arg(long, value_enum, help_heading = "Embedding")]
    pub(crate) only: Option<OnlyArg>,
}

impl ViewArgs {
    /// The recipe, if there is one.
    pub(crate) fn recipe(&self) -> anyhow::Result<Option<ViewRecipe>> {
        Ok(self.recipe.as_deref().map(read_recipe).transpose()?)
    }

    /// The part to be seen, if not all.
    pub(crate) fn only(&self) -> Option<Only> {
        self.only.map(|only| match only {
            OnlyArg::Links => Only::Links,
            OnlyArg::Attributes => Only::Attributes,
        })
    }
}

/// A part of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnlyArg {
    /// links, all relations
    Links,
    /// attributes, all tables
    Attributes,
}
