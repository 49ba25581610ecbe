//! Flags that several evaluations share.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use gage_embed::io::ColumnOptions;
use gage_embed::{Columns, FitRequest};

use crate::args::values::columns;
use crate::args::{DataArgs, JoinArgs, LambdaArgs, PrecisionArg, PresetArg, ViewArgs};

/// An embedding to evaluate.
#[derive(Clone, Debug, Args)]
pub(crate) struct EmbeddingArgs {
    /// Embedding: .npy (ids beside it in .ids.txt), .npz, .csv, .tsv, .safetensors, word2vec .txt
    /// or .bin, or a model (.gage)
    #[arg(value_name = "EMB")]
    pub(crate) embedding: PathBuf,
    #[command(flatten)]
    pub(crate) lambda: LambdaArgs,
}

/// Classes of the nodes of an embedding.
#[derive(Clone, Debug, Args)]
pub(crate) struct LabelArgs {
    /// Leave out labels of nodes that the embedding does not have, instead of refusing them
    #[arg(long, help_heading = "Input")]
    pub(crate) ignore_unknown: bool,
    /// Column of a table that holds the labels [default: one called label, class, y, ..., or the
    /// only one beside the ids]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub(crate) label_column: Option<String>,
    #[command(flatten)]
    pub(crate) rule: JoinArgs,
}

impl LabelArgs {
    /// Options of the reader of labels.
    pub(crate) fn options(&self) -> ColumnOptions {
        ColumnOptions::with_label(self.label_column.clone())
    }
}

/// How the embeddings of an experiment are made.
#[derive(Clone, Debug, Args)]
pub(crate) struct FitArgs {
    /// Columns: a number, `auto` or `auto:SHARE` as in `gage embed` [default: 128, or the number of
    /// nodes if less]
    #[arg(long, value_name = "N|auto|auto:SHARE", value_parser = columns)]
    #[arg(help_heading = "Embedding")]
    pub(crate) dim: Option<Columns>,
    /// Views and how they are scaled
    #[arg(long, value_enum, default_value_t = PresetArg::Auto, help_heading = "Embedding")]
    pub(crate) preset: PresetArg,
    #[command(flatten)]
    pub(crate) views: ViewArgs,
    /// Weights of the views in the fit, in the order of the views [default: as the preset says]
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', help_heading = "Embedding")]
    pub(crate) weights: Option<Vec<f64>>,
    /// Number type of the embedding and of the work
    #[arg(long, value_enum, default_value_t = PrecisionArg::F32, help_heading = "Embedding")]
    pub(crate) precision: PrecisionArg,
}

impl FitArgs {
    /// The fit of an experiment. Tables for new nodes are not made, since no model is written.
    pub(crate) fn request(&self, data: &DataArgs, seed: u64) -> anyhow::Result<FitRequest> {
        Ok(FitRequest {
            recipe: self.views.recipe()?,
            only: self.views.only(),
            preset: self.preset.name().to_owned(),
            columns: self.dim.unwrap_or_default(),
            directed: data.direction(),
            weights: self.weights.clone(),
            precision: self.precision.into(),
            seed,
            loadings: false,
            ..FitRequest::default()
        })
    }
}

/// A share between 0 and 1, both excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share(pub(crate) f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        let share: Option<f64> = text.parse().ok().filter(|share| *share > 0.0 && *share < 1.0);
        share.map(Share).ok_or_else(|| {
            "expected a share between 0 and 1, both excluded, such as 0.5".to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_leave_something_on_both_sides() {
        assert_eq!("0.9".parse(), Ok(Share(0.9)));
        for bad in ["0", "1", "-0.5", "nan", "half", ""] {
            assert!(bad.parse::<Share>().is_err(), "{bad}");
        }
    }
}
