//! How good an embedding is: classification, link prediction and clustering, with fair splits and
//! exact metrics.
//!
//! Labels are used here only, and only those of the training nodes reach a classifier. Every random
//! choice follows from a seed, and every result has the same bits at any number of threads.
//!
//! [`sweep()`] runs any of them over all shares of the links from one fit, and [`tune()`] chooses
//! preset, dimension and shares by cross-validation on training labels.
//!
//! | task | harness | metrics |
//! |---|---|---|
//! | node classification | [`classify()`], [`Logistic`], [`Split`] | [`F1Scores`] |
//! | link prediction | [`link_experiment`], [`hide_links`] | [`roc_auc`], [`average_precision`] |
//! | new nodes | [`evaluate_new_nodes`], [`hold_out_nodes`] | [`F1Scores`], lengths, cosines |
//! | clustering | [`cluster()`], [`k_means`] | [`compare_clusters`], [`silhouette()`] |
//!
//! [`PlantedGraph`] draws graphs with known classes, which an embedding should recover.

mod classify;
mod cluster;
mod links;
mod new_nodes;
mod observe;
mod planted;
#[cfg(test)]
mod samples;
mod spread;
mod tune;

pub use classify::{
    ClassFit, ClassifyParams, ClassifyReport, F1Scores, Logistic, LogisticParams, Protocol,
    ProtocolReport, ProtocolSplit, Split, SplitOutcome, TrainReport, TrainSize, classify,
    classify_protocol, classify_split, classify_with, f1_scores, fold_nodes, folds, labelled_nodes,
    split, split_nodes,
};
pub use cluster::{
    ClusterExperimentReport, ClusterParams, ClusterReport, ClusterRun, KMeans, KMeansParams,
    SILHOUETTE_SAMPLE, adjusted_rand_index, assignment_accuracy, cluster, compare_clusters,
    k_means, normalized_mutual_information, silhouette, silhouettes_of,
};
pub use gage_core::holdout::{
    EvalError, HeldOutNodes, HiddenLinks, LinkParams, LinkReport, LinkScore, LinkSplit,
    StillLinked, average_precision, hide_links, hold_out_nodes, remove_links, roc_auc, score_links,
    score_pairs, score_pairs_between,
};
pub use links::{LinkExperiment, LinkExperimentReport, LinkScoreReport, link_experiment};
pub use new_nodes::{
    FoldInReport, KnownData, NewNodesParams, NewNodesReport, OwnDataReport, evaluate_new_nodes,
};
pub use observe::EvalObserver;
pub use planted::{PlantedGraph, PlantedParams};
pub use spread::Spread;
pub use tune::{
    BestLambda, SweepReport, SweepSeries, SweepTask, Tried, TuneMeasure, TuneParams, TuneReport,
    Tuned, even_lambdas, sweep, sweep_model, tune,
};
