//! Groups of flags that several commands share.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use gage_embed::Lambda;
use gage_embed::io::EmbeddingFormat;

use crate::errors::Failure;

/// How much each view counts in the embedding.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LambdaArgs {
    /// Share of the views that use links (links, and attributes smoothed over them), from 0 to 1;
    /// the rest is for the others. All views have part in one fit, so 0 is not a fit to attributes
    /// alone, which `gage embed --only attributes` is [default: as the views say]
    #[arg(long, value_name = "0..1", help_heading = "Embedding")]
    pub(crate) lambda: Option<f64>,
    /// One share per view instead, in the order of the views
    #[arg(
        long,
        value_name = "A,B,...",
        value_delimiter = ',',
        conflicts_with = "lambda",
        help_heading = "Embedding"
    )]
    pub(crate) shares: Option<Vec<f64>>,
}

impl LambdaArgs {
    /// Shares can be chosen for a model only.
    pub(crate) fn refuse_for_embedding(&self, path: &Path) -> Result<(), Failure> {
        if self.lambda() == Lambda::Preset {
            return Ok(());
        }
        let message = format!("{}: an embedding has its shares already", path.display());
        Err(Failure::usage(message).help("give the model (.gage) to use --lambda or --shares"))
    }

    pub(crate) fn lambda(&self) -> Lambda {
        match (&self.lambda, &self.shares) {
            (Some(lambda), _) => Lambda::Links(*lambda),
            (None, Some(shares)) => Lambda::PerView(shares.clone()),
            (None, None) => Lambda::Preset,
        }
    }
}

/// Where an embedding goes.
#[derive(Clone, Debug, Args)]
pub(crate) struct FileArgs {
    /// Embedding to write: .npy (ids beside it in .ids.txt), .npz, .csv, .tsv, .parquet,
    /// .safetensors, word2vec .txt or .bin; `-` is standard output
    #[arg(long, short, value_name = "OUT", help_heading = "Output")]
    pub(crate) output: PathBuf,
    /// Format, if the extension does not say it
    #[arg(long, value_parser = embedding_format(), help_heading = "Output")]
    pub(crate) format: Option<EmbeddingFormat>,
}

/// Parses the name of a format of embeddings.
pub(crate) fn embedding_format() -> impl TypedValueParser<Value = EmbeddingFormat> {
    let values =
        EmbeddingFormat::all().map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(values).try_map(|name| {
        EmbeddingFormat::named(&name).ok_or_else(|| format!("no format is called `{name}`"))
    })
}
