//! `gage embed`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use gage_baselines::{Method, Scale};
use gage_embed::{Columns, FitRequest, Precision};
use serde::Serialize;

use crate::errors::Failure;

use super::values::{columns, seconds, size};
use super::{DataArgs, FileArgs, LambdaArgs, ViewArgs};

const EXAMPLES: &str = "\
Examples:
  gage embed cora/ -o cora.npy
  gage embed cora/ -o cora.parquet --dim auto:0.95 --lambda 0.5 --model cora.gage --certify
  gage embed --graph edges.csv.gz --attributes people.csv -o people.csv --dim 64
  gage embed --graph follows.tsv --directed both --view likes=likes.npz -o users.npz
  gage embed wiki.mat -o wiki.txt --preset paper --precision f64
  gage embed cora/ -o cora.npy --views recipe.toml
  gage embed cora/ -o words.npy --only attributes
  gage embed cora/ -o tadw.npy --method tadw --dim 64
  gage embed cora/ -o dgi.npy --method dgi --variant paper --scale none --dim 128";

/// Embed the nodes of a data set.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EmbedArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// Model to write, for reweight, fold-in, certify and similar
    #[arg(long, value_name = "M.gage", help_heading = "Output")]
    pub(crate) model: Option<PathBuf>,
    /// Columns: a number, `auto` (the fewest that keep 0.9 of the energy of the views, at most 256)
    /// or `auto:SHARE` [default: 128, or the number of nodes if that is less]
    #[arg(long, value_name = "N|auto|auto:SHARE", value_parser = columns)]
    #[arg(help_heading = "Embedding")]
    pub(crate) dim: Option<Columns>,
    /// Method; those other than `gage` are baselines to compare with and take --dim, --seed,
    /// --variant, --scale and --max-memory only
    #[arg(long, value_name = "METHOD", default_value = GAGE, value_parser = methods())]
    #[arg(help_heading = "Embedding")]
    pub(crate) method: String,
    /// Named setting of a baseline: `paper` is the one of the comparison in the GAGE paper, others
    /// are listed when a name is unknown [default: default]
    #[arg(long, value_name = "NAME", help_heading = "Embedding")]
    pub(crate) variant: Option<String>,
    /// Scale of the embedding of a baseline [default: mean-square]
    #[arg(long, value_name = "SCALE", value_parser = scales(), help_heading = "Embedding")]
    pub(crate) scale: Option<Scale>,
    #[command(flatten)]
    pub(crate) lambda: LambdaArgs,
    /// Views and how they are scaled [default: auto]
    #[arg(long, value_enum, help_heading = "Embedding")]
    pub(crate) preset: Option<PresetArg>,
    #[command(flatten)]
    pub(crate) views: ViewArgs,
    /// Weights of the views in the fit, in the order of the views [default: as the preset says]
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', help_heading = "Embedding")]
    pub(crate) weights: Option<Vec<f64>>,
    /// Number type of the embedding and of the work [default: f32]
    #[arg(long, value_enum, help_heading = "Embedding")]
    pub(crate) precision: Option<PrecisionArg>,
    /// Iterate until all further iterations would lower the loss by less than this share of it
    /// [default: 0.005, and at most 4 iterations; with this option at most 30]
    #[arg(long, value_name = "SHARE", help_heading = "Embedding")]
    pub(crate) tolerance: Option<f64>,
    /// Refine the fit at full size (slower, lower loss)
    #[arg(long, help_heading = "Embedding")]
    pub(crate) refine: bool,
    /// Measure what the model promises, and keep it with the model
    #[arg(long, help_heading = "Embedding")]
    pub(crate) certify: bool,
    /// Work within about this much memory, for example 4GiB; what does not fit is kept in files in
    /// the folder of --scratch. The result is the same bits, later. These files are mapped: while
    /// memory is free the system also keeps their pages there, and counts them as resident beyond
    /// this limit. Matrices that are themselves too large are mapped from files made with `gage
    /// convert --mapped`. A baseline that takes more is refused
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Memory")]
    pub(crate) max_memory: Option<u64>,
    /// Folder for what does not fit in memory [default: the system's folder for temporary files]
    #[arg(long, value_name = "DIR", requires = "max_memory", help_heading = "Memory")]
    pub(crate) scratch: Option<PathBuf>,
    /// Keep the fit in this folder while it runs and when it is finished, under a fingerprint of
    /// the data and of all parameters; a run with the same data and parameters resumes from there,
    /// even after it was killed, and ends in the same bits
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Keep the fit under way at most this often; 0 keeps it whenever it can be
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    #[arg(requires = "checkpoint", help_heading = "Output")]
    pub(crate) checkpoint_every: Duration,
}

/// The name of our own method.
const GAGE: &str = "gage";

/// All methods, with what they do.
fn methods() -> PossibleValuesParser {
    let own = PossibleValue::new(GAGE).help("the geometry of links and attributes at once");
    let baselines = gage_baselines::methods().into_iter();
    let baselines = baselines.map(|one| PossibleValue::new(one.name()).help(one.describe()));
    PossibleValuesParser::new(std::iter::once(own).chain(baselines))
}

/// Parses the name of a scale.
fn scales() -> impl TypedValueParser<Value = Scale> {
    let values = Scale::ALL.map(|scale| PossibleValue::new(scale.name()).help(scale.describe()));
    PossibleValuesParser::new(values)
        .try_map(|name| Scale::named(&name).ok_or_else(|| format!("no scale is called `{name}`")))
}

impl EmbedArgs {
    /// The baseline that was requested, if it was one, and nothing that only `gage` has.
    pub(crate) fn baseline(&self) -> anyhow::Result<Option<Box<dyn Method>>> {
        if self.method == GAGE {
            return self.refuse_for_gage();
        }
        let own = [
            ("--model", self.model.is_some()),
            ("--checkpoint", self.checkpoint.is_some()),
            ("--lambda", self.lambda.lambda.is_some()),
            ("--shares", self.lambda.shares.is_some()),
            ("--preset", self.preset.is_some()),
            ("--views", self.views.recipe.is_some()),
            ("--only", self.views.only.is_some()),
            ("--weights", self.weights.is_some()),
            ("--precision", self.precision.is_some()),
            ("--tolerance", self.tolerance.is_some()),
            ("--refine", self.refine),
            ("--scratch", self.scratch.is_some()),
            ("--certify", self.certify),
            ("--dim auto", matches!(self.dim, Some(Columns::Energy(_)))),
        ];
        if let Some((option, _)) = own.into_iter().find(|(_, given)| *given) {
            let message =
                format!("{option} is an option of method `gage`, not of `{}`", self.method);
            let help = format!("leave out {option}, or leave out --method");
            return Err(Failure::usage(message).help(help).into());
        }
        let variant = self.variant.as_deref().unwrap_or("default");
        Ok(Some(gage_baselines::variant(&self.method, variant)?))
    }

    /// No baseline, and nothing that only baselines have.
    fn refuse_for_gage(&self) -> anyhow::Result<Option<Box<dyn Method>>> {
        let own = [("--variant", self.variant.is_some()), ("--scale", self.scale.is_some())];
        match own.into_iter().find(|(_, given)| *given) {
            None => Ok(None),
            Some((option, _)) => {
                let message = format!("{option} is an option of baselines, not of method `gage`");
                let help = format!("leave out {option}, or name a baseline with --method");
                Err(Failure::usage(message).help(help).into())
            }
        }
    }

    /// The fit these flags describe.
    pub(crate) fn request(&self, seed: u64) -> anyhow::Result<FitRequest> {
        Ok(FitRequest {
            recipe: self.views.recipe()?,
            only: self.views.only(),
            preset: self.preset.unwrap_or_default().name().to_owned(),
            columns: self.dim.unwrap_or_default(),
            directed: self.data.direction(),
            weights: self.weights.clone(),
            precision: self.precision.unwrap_or_default().into(),
            seed,
            tolerance: self.tolerance,
            refine: self.refine,
            certify: self.certify,
            // A checkpoint keeps the tables too: a later run may request a model.
            loadings: self.model.is_some() || self.checkpoint.is_some(),
        })
    }
}

/// Presets of the library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PresetArg {
    /// looks at the graph first and chooses views and weights; says what it found
    #[default]
    Auto,
    /// exactly the published model: links, attributes and any further tables as they are, lambda
    /// 0.8
    Paper,
    /// views on one scale: links, attributes, attributes smoothed over the links
    Balanced,
    /// for predicting links: views and shares that best predict links hidden from the fit
    Links,
    /// another name of auto
    Walks,
}

impl PresetArg {
    pub(crate) fn name(self) -> &'static str {
        match self {
            PresetArg::Auto => "auto",
            PresetArg::Links => "links",
            PresetArg::Walks => "walks",
            PresetArg::Paper => "paper",
            PresetArg::Balanced => "balanced",
        }
    }
}

/// Number types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PrecisionArg {
    /// single
    #[default]
    F32,
    /// double
    F64,
}

impl From<PrecisionArg> for Precision {
    fn from(precision: PrecisionArg) -> Precision {
        match precision {
            PrecisionArg::F32 => Precision::F32,
            PrecisionArg::F64 => Precision::F64,
        }
    }
}
