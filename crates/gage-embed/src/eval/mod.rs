//! How good an embedding is: classification, link prediction and clustering, with fair splits and exact metrics.
//!
//! Labels are used here only, and only those of the training nodes reach a classifier. Every random choice follows
//! from a seed, and every result has the same bits at any number of threads.
//!
//! [`sweep()`] runs any of them over all shares of the links from one fit, and [`tune()`] chooses preset, dimension and
//! shares by cross-validation on training labels.
//!
//! | task | harness | metrics |
//! |---|---|---|
//! | node classification | [`classify()`], [`Logistic`], [`Split`] | [`F1Scores`] |
//! | link prediction | [`link_experiment`], [`hide_links`], [`remove_links`], [`score_links`] | [`roc_auc`], [`average_precision`] |
//! | clustering | [`cluster()`], [`k_means`], [`compare_clusters`] | [`normalized_mutual_information`], [`adjusted_rand_index`], [`assignment_accuracy`], [`silhouette()`] |

mod assignment;
mod classify;
mod cluster;
mod cluster_experiment;
mod design;
mod distances;
mod f1;
mod hide;
mod kmeans;
mod link_experiment;
mod link_scores;
mod links;
mod logistic;
mod newton;
mod observe;
mod ranking;
mod silhouette;
mod splits;
mod sweep;
mod tune;

pub use classify::{
    ClassifyParams, ClassifyReport, SplitOutcome, Spread, TrainReport, classify, classify_split,
    classify_with,
};
pub use cluster::{
    ClusterReport, adjusted_rand_index, assignment_accuracy, compare_clusters,
    normalized_mutual_information,
};
pub use cluster_experiment::{ClusterExperimentReport, ClusterParams, ClusterRun, cluster};
pub use f1::{F1Scores, f1_scores};
pub use hide::{HiddenLinks, StillLinked, hide_links};
pub use kmeans::{KMeans, KMeansParams, k_means};
pub use link_experiment::{LinkExperiment, LinkExperimentReport, LinkScoreReport, link_experiment};
pub use link_scores::{LinkReport, LinkScore, score_links, score_pairs, score_pairs_between};
pub use links::{LinkParams, LinkSplit, remove_links};
pub use logistic::{ClassFit, Logistic, LogisticParams};
pub use observe::EvalObserver;
pub use ranking::{average_precision, roc_auc};
pub use silhouette::{SILHOUETTE_SAMPLE, silhouette, silhouettes_of};
pub use splits::{Split, TrainSize, fold_nodes, folds, labelled_nodes, split, split_nodes};

pub use sweep::{
    BestLambda, SweepReport, SweepSeries, SweepTask, even_lambdas, sweep, sweep_model,
};
pub use tune::{Tried, TuneMeasure, TuneParams, TuneReport, Tuned, tune};

use thiserror::Error;

/// Why an embedding cannot be evaluated as asked.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum EvalError {
    /// Two things that describe the same items differ in number.
    #[error("{left} {left_name}, but {right} {right_name}; there must be as many of both")]
    Lengths {
        /// what is counted first
        left_name: &'static str,
        /// its number
        left: usize,
        /// what is counted second
        right_name: &'static str,
        /// its number
        right: usize,
    },
    /// A row number points outside the embedding.
    #[error("row {row} is out of range, the embedding has {rows} rows")]
    RowRange {
        /// the row asked for
        row: u32,
        /// number of rows
        rows: usize,
    },
    /// The embedding holds a number that cannot be computed with.
    #[error("row {row}, column {column}: {value} is not a finite number of size at most {bound:e}")]
    NotFinite {
        /// row of the embedding
        row: usize,
        /// column of the embedding
        column: usize,
        /// the number
        value: f64,
        /// largest allowed magnitude
        bound: f64,
    },
    /// A score is NaN or infinite.
    #[error("score {at} is {value}; scores must be finite")]
    BadScore {
        /// position of the score
        at: usize,
        /// its value
        value: f64,
    },
    /// A training node carries no label.
    #[error("node {row} has no label, so nothing can be learned from it")]
    Unlabelled {
        /// the node
        row: u32,
    },
    /// A node carries several labels where one is needed.
    #[error("node {row} has {found} labels; here each node has at most one")]
    SeveralLabels {
        /// the node
        row: u32,
        /// how many labels it has
        found: usize,
    },
    /// A parameter lies outside its bounds.
    #[error("{name} = {value} is out of bounds: it must be {bound}")]
    Parameter {
        /// name of the parameter
        name: &'static str,
        /// its value
        value: f64,
        /// what is allowed
        bound: &'static str,
    },
    /// There is not enough of something.
    #[error("{what}: at least {needed} needed, {found} found")]
    TooFew {
        /// what there is too little of
        what: &'static str,
        /// smallest number that works
        needed: usize,
        /// number found
        found: usize,
    },
    /// The data has another width than the model.
    #[error("the embedding has {found} columns, the model was trained on {expected}")]
    Width {
        /// columns trained on
        expected: usize,
        /// columns given
        found: usize,
    },
    /// A graph could not be built.
    #[error(transparent)]
    Sparse(#[from] crate::linalg::SparseError),
    /// There is no such block of links.
    #[error("the graph has no block of links that is {wanted}; its blocks of links: {known}")]
    NoLinks {
        /// what was asked for
        wanted: String,
        /// what there is
        known: String,
    },
    /// Clusters cannot be counted.
    #[error("without labels nothing says how many clusters there are; give their number")]
    NoClusterCount,
    /// An embedding could not be made.
    #[error(transparent)]
    Fit(#[from] crate::error::Error),
    /// The observer asked to stop.
    #[error("the evaluation was cancelled")]
    Cancelled,
    /// A graph is not square.
    #[error("links have {rows} rows and {columns} columns; an adjacency is square")]
    NotSquare {
        /// number of rows
        rows: usize,
        /// number of columns
        columns: usize,
    },
}

/// Largest magnitude of an embedding entry; squares of anything below stay far from overflow.
const MAX_MAGNITUDE: f64 = 1e30;

/// Checks that two counts agree.
fn same_length(
    left_name: &'static str,
    left: usize,
    right_name: &'static str,
    right: usize,
) -> Result<(), EvalError> {
    if left == right {
        Ok(())
    } else {
        Err(EvalError::Lengths { left_name, left, right_name, right })
    }
}

/// Checks that there is at least one of everything named.
fn at_least_one(counts: &[(&'static str, usize)]) -> Result<(), EvalError> {
    match counts.iter().find(|(_, found)| *found == 0) {
        Some(&(what, found)) => Err(EvalError::TooFew { what, needed: 1, found }),
        None => Ok(()),
    }
}

/// Checks that every given row exists and holds usable numbers. Cost O(rows * columns).
fn check_rows<T: crate::linalg::Real>(
    embedding: &crate::linalg::Tall<T>,
    rows: &[u32],
) -> Result<(), EvalError> {
    use rayon::prelude::*;
    let check = |&row: &u32| {
        if row as usize >= embedding.rows() {
            return Some(EvalError::RowRange { row, rows: embedding.rows() });
        }
        let values = embedding.row(row as usize);
        // NaN fails every comparison, so this also catches it.
        let fine = |value: f64| value.abs() <= MAX_MAGNITUDE;
        let column = values.iter().position(|value| !fine(value.to_f64()))?;
        let (value, row) = (values[column].to_f64(), row as usize);
        Some(EvalError::NotFinite { row, column, value, bound: MAX_MAGNITUDE })
    };
    rows.par_iter().with_min_len(64).find_map_first(check).map_or(Ok(()), Err)
}

/// Numbers for tests elsewhere in this module.
#[cfg(test)]
mod samples {
    use crate::graph::Labels;
    use crate::linalg::Tall;
    use crate::linalg::random::{Stream, fill_normal};

    /// Independent standard normal entries.
    pub(crate) fn random(rows: usize, cols: usize, seed: u64) -> Tall<f64> {
        Tall::from_rows(rows, cols, |row, out| fill_normal(seed, row as u64, out))
    }

    /// One of `classes` classes per node, uniformly.
    pub(crate) fn random_classes(nodes: usize, classes: usize, seed: u64) -> Vec<i64> {
        let mut stream = Stream::new(seed);
        (0..nodes).map(|_| stream.below(classes) as i64).collect()
    }

    /// Unit normal clouds around one random centre per class, and the classes.
    pub(crate) fn clouds(
        nodes: usize,
        cols: usize,
        classes: usize,
        distance: f64,
        seed: u64,
    ) -> (Tall<f64>, Vec<i64>) {
        let numbers = random_classes(nodes, classes, seed);
        let centres = random(classes, cols, seed ^ 0xc10d);
        let mut cloud = random(nodes, cols, seed ^ 0x9a1e);
        for (row, &class) in numbers.iter().enumerate() {
            for (value, centre) in cloud.row_mut(row).iter_mut().zip(centres.row(class as usize)) {
                *value += distance * centre;
            }
        }
        (cloud, numbers)
    }

    /// Labels from class numbers.
    pub(crate) fn labels(numbers: &[i64]) -> Labels {
        Labels::from_numbers(numbers)
    }
}
