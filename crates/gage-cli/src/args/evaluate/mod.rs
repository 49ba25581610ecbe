//! `gage evaluate`: how good an embedding is.

mod classify;
mod cluster;
mod links;
mod new_nodes;
mod shared;
mod sweep;
mod tune;

use clap::{Args, Subcommand};

pub(crate) use classify::{ClassesArg, ClassifyArgs};
pub(crate) use cluster::ClusterArgs;
pub(crate) use links::{LinkTaskArgs, LinksArgs};
pub(crate) use new_nodes::NewNodesArgs;
pub(crate) use shared::{EmbeddingArgs, FitArgs, LabelArgs, Share};
pub(crate) use sweep::{SweepArgs, TaskArg};
pub(crate) use tune::{MeasureArg, TuneArgs};

const EXAMPLES: &str = "\
Examples:
  gage evaluate classify cora.npy --labels cora/
  gage evaluate links cora/ --remove 0.5
  gage evaluate cluster cora.gage --labels cora/labels.npy
  gage evaluate new-nodes cora/ --preset balanced
  gage evaluate sweep cora/ -o lambda.svg
  gage evaluate tune cora/ --dims 64,128 -o best.npy

Every number is a mean over random splits and its standard deviation; the seed decides the splits.";

/// Measure how good an embedding is.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EvaluateArgs {
    /// What to measure.
    #[command(subcommand)]
    pub(crate) task: EvaluateCommand,
}

/// What to measure.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum EvaluateCommand {
    /// Predict the classes of nodes from an embedding: micro and macro F1
    Classify(ClassifyArgs),
    /// Hide links, embed the rest, and tell the hidden links from other pairs: AUC and average
    /// precision
    Links(Box<LinksArgs>),
    /// Cluster an embedding and compare with classes: NMI, ARI, accuracy, silhouette
    Cluster(ClusterArgs),
    /// Hold out nodes, embed the others, and fold the held-out ones in by attributes, links and
    /// both: micro F1 beside that of fits of the same data, lengths of rows
    NewNodes(Box<NewNodesArgs>),
    /// Classes, links or clusters at every lambda from 0 to 1, from one fit: table and plot
    Sweep(Box<SweepArgs>),
    /// Choose preset, dimension and shares by cross-validation, and test the choice on
    /// labels held out
    Tune(Box<TuneArgs>),
}
