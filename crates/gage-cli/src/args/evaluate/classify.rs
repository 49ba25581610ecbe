//! `gage evaluate classify`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gage_embed::eval::Protocol;
use serde::Serialize;

use super::{EmbeddingArgs, LabelArgs, Share};

const EXAMPLES: &str = "\
Examples:
  gage evaluate classify cora.npy --labels cora/
  gage evaluate classify cora.gage --lambda 0.3 --labels cora/labels.npy --train 0.9,0.5,0.1
  gage evaluate classify users.csv --labels groups.csv --shuffles 5 --json
  gage evaluate classify wiki.npy --labels wiki/ --classes all
  gage evaluate classify cora.npy --labels cora/ --protocol planetoid

One-vs-rest logistic regression with an l2 penalty, trained on random shares of the labelled
nodes. Where nodes have several labels, the number of labels of each test node is given and the
classes of the highest scores are predicted.";

/// Predict the classes of nodes from an embedding.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ClassifyArgs {
    #[command(flatten)]
    pub(crate) embedding: EmbeddingArgs,
    /// Classes: a file (.npy, .npz, or text with a label or an id and a label a line), a data set
    /// folder or a .mat file
    #[arg(long, value_name = "L", help_heading = "Input")]
    pub(crate) labels: PathBuf,
    #[command(flatten)]
    pub(crate) join: LabelArgs,
    /// A common way to split instead: classes of equal size, or training, validation and test
    /// nodes in percent; C is chosen by the validation nodes
    #[arg(long, value_enum, value_name = "NAME", conflicts_with_all = ["train", "c"])]
    pub(crate) protocol: Option<ProtocolArg>,
    /// Shares of the labelled nodes to train on
    #[arg(long, value_name = "SHARES", value_delimiter = ',', default_value = "0.9,0.5,0.1")]
    pub(crate) train: Vec<Share>,
    /// Random splits for each share
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) shuffles: usize,
    /// Weight of the data against the penalty, as scikit-learn's C
    #[arg(long = "C", value_name = "C", default_value_t = 1.0)]
    pub(crate) c: f64,
    /// Classes the macro average is taken over
    #[arg(long, value_enum, default_value_t = ClassesArg::Filled)]
    pub(crate) classes: ClassesArg,
}

/// Splits that the literature uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
pub(crate) enum ProtocolArg {
    /// 20 nodes of each class train, 500 validate, 1,000 test: the public split where nodes are in
    /// the order of its files, else drawn
    #[value(name = "planetoid")]
    Planetoid,
    /// 10% train, 10% validate, 80% test
    #[value(name = "random-10-10-80")]
    Random,
    /// of each class 48% train, 32% validate, 20% test
    #[value(name = "geom-48-32-20")]
    Geom,
}

impl From<ProtocolArg> for Protocol {
    fn from(arg: ProtocolArg) -> Protocol {
        match arg {
            ProtocolArg::Planetoid => Protocol::Planetoid,
            ProtocolArg::Random => Protocol::Random,
            ProtocolArg::Geom => Protocol::Geom,
        }
    }
}

/// Classes that count in an average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ClassesArg {
    /// those that are true or predicted for some test node
    Filled,
    /// every class of the labels; one without a member counts as zero
    All,
}
