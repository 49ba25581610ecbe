//! `gage evaluate links`.

use clap::{Args, ValueEnum};
use gage_embed::eval::{LinkExperiment, LinkScore};

use super::{FitArgs, Share};
use crate::args::{DataArgs, LambdaArgs};

const EXAMPLES: &str = "\
Examples:
  gage evaluate links cora/
  gage evaluate links cora/ --remove 0.2 --shuffles 10 --preset paper --dim 64 --score dot,cosine
  gage evaluate links acm/ --block coauthors --lambda 1
  gage evaluate links --graph follows.tsv --directed both --json

Hidden links are taken from one relation before anything is fitted, so no view sees them; further
relations stay whole, and the report says how many hidden pairs they join. Of an undirected link
both directions are hidden; of directed links each direction is a link of its own.";

/// Hide links, embed the rest, and tell the hidden links from other pairs.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LinksArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) task: LinkTaskArgs,
    /// Random removals
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) shuffles: usize,
    #[command(flatten)]
    pub(crate) fit: FitArgs,
    #[command(flatten)]
    pub(crate) lambda: LambdaArgs,
}

/// What is hidden and how pairs are scored.
#[derive(Clone, Debug, Args)]
pub(crate) struct LinkTaskArgs {
    /// Share of the links to hide
    #[arg(long, value_name = "SHARE", default_value = "0.5")]
    pub(crate) remove: Share,
    /// How the rows of two nodes make a score
    #[arg(long, value_enum, value_delimiter = ',', default_value = "dot")]
    pub(crate) score: Vec<ScoreArg>,
    /// Relation to hide links of [default: the first]
    #[arg(long, value_name = "NAME")]
    pub(crate) block: Option<String>,
}

impl LinkTaskArgs {
    /// The experiment these flags describe.
    pub(crate) fn experiment(&self, shuffles: usize, seed: u64) -> LinkExperiment {
        LinkExperiment {
            block: self.block.clone(),
            remove: self.remove.0,
            shuffles,
            scores: self.score.iter().map(|&score| score.into()).collect(),
            seed,
        }
    }
}

/// Scores of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScoreArg {
    /// dot product of the rows
    Dot,
    /// cosine of the angle between them
    Cosine,
    /// their distance; near rows score high
    Distance,
}

impl From<ScoreArg> for LinkScore {
    fn from(score: ScoreArg) -> LinkScore {
        match score {
            ScoreArg::Dot => LinkScore::Dot,
            ScoreArg::Cosine => LinkScore::Cosine,
            ScoreArg::Distance => LinkScore::NegativeDistance,
        }
    }
}
