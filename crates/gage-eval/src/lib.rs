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
mod kmeans;
mod link_experiment;
mod logistic;
mod newton;
mod observe;
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
pub use gage_core::holdout::{
    EvalError, HiddenLinks, LinkParams, LinkReport, LinkScore, LinkSplit, StillLinked,
    average_precision, hide_links, remove_links, roc_auc, score_links, score_pairs,
    score_pairs_between,
};
pub use kmeans::{KMeans, KMeansParams, k_means};
pub use link_experiment::{LinkExperiment, LinkExperimentReport, LinkScoreReport, link_experiment};
pub use logistic::{ClassFit, Logistic, LogisticParams};
pub use observe::EvalObserver;
pub use silhouette::{SILHOUETTE_SAMPLE, silhouette, silhouettes_of};
pub use splits::{Split, TrainSize, fold_nodes, folds, labelled_nodes, split, split_nodes};

pub use sweep::{
    BestLambda, SweepReport, SweepSeries, SweepTask, even_lambdas, sweep, sweep_model,
};
pub use tune::{Tried, TuneMeasure, TuneParams, TuneReport, Tuned, tune};

#[cfg(test)]
mod samples {
    use gage_core::graph::Labels;
    use gage_linalg::Tall;
    use gage_linalg::random::{Stream, fill_normal};

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
