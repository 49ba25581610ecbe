//! Node classification: splits, logistic regression, scores, and the experiment over random splits.

mod design;
mod experiment;
mod f1;
mod logistic;
mod newton;
mod protocol;
mod splits;

pub use experiment::{
    ClassifyParams, ClassifyReport, SplitOutcome, TrainReport, classify, classify_split,
    classify_with,
};
pub use f1::{F1Scores, f1_scores};
pub use logistic::{ClassFit, Logistic, LogisticParams};
pub use protocol::{Protocol, ProtocolReport, ProtocolSplit, classify_protocol};
pub use splits::{Split, TrainSize, fold_nodes, folds, labelled_nodes, split, split_nodes};
