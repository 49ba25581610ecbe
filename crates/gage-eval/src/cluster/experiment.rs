//! Clustering over random starts.

use serde::{Deserialize, Serialize};

use super::kmeans::{KMeansParams, k_means};
use super::scores::{ClusterReport, compare_clusters};
use super::silhouette::silhouette;
use crate::observe::{Counter, EvalObserver};
use crate::spread::Spread;
use gage_core::graph::Labels;
use gage_core::holdout::{EvalError, at_least_one, same_length};
use gage_linalg::random::mix;
use gage_linalg::{AnyTall, Real, Tall};

/// What to try.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterParams {
    /// Number of clusters; the number of classes that have members if `None`.
    pub clusters: Option<usize>,
    /// Independent clusterings.
    pub shuffles: usize,
    /// Starts of k-means in each; the best is kept.
    pub restarts: usize,
    /// Silhouettes are taken over at most this many nodes, a new sample in each shuffle.
    pub silhouette_sample: usize,
    /// Decides the starts and the samples.
    pub seed: u64,
}

impl Default for ClusterParams {
    fn default() -> Self {
        ClusterParams {
            clusters: None,
            shuffles: 10,
            restarts: 10,
            silhouette_sample: 2000,
            seed: 0,
        }
    }
}

/// One clustering.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterRun {
    /// Agreement with the classes, if there are any.
    pub agreement: Option<ClusterReport>,
    /// Mean silhouette; `None` for a single cluster.
    pub silhouette: Option<f64>,
    /// Sum of squared distances to the centroids.
    pub inertia: f64,
}

/// What came out of [`cluster`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterExperimentReport {
    /// Number of clusters.
    pub clusters: usize,
    /// Nodes clustered.
    pub nodes: usize,
    /// Nodes with a class, on which agreement is measured.
    pub labelled: usize,
    /// Nodes whose silhouettes were taken.
    pub silhouette_nodes: usize,
    /// Normalised mutual information.
    pub nmi: Option<Spread>,
    /// Adjusted Rand index.
    pub ari: Option<Spread>,
    /// Share of nodes in the right class under the best one-to-one match.
    pub accuracy: Option<Spread>,
    /// Mean silhouette.
    pub silhouette: Option<Spread>,
    /// Each clustering.
    pub runs: Vec<ClusterRun>,
}

/// Clusters the rows with k-means and compares with the classes, if given, `shuffles` times from
/// other starts.
///
/// Without labels only silhouettes are measured, and the number of clusters must be given. All rows
/// are clustered, labelled or not. Cost: see [`k_means`] and [`silhouette`].
pub fn cluster(
    embedding: &AnyTall,
    labels: Option<&Labels>,
    params: &ClusterParams,
    observer: &dyn EvalObserver,
) -> Result<ClusterExperimentReport, EvalError> {
    match embedding {
        AnyTall::F32(tall) => cluster_rows(tall, labels, params, observer),
        AnyTall::F64(tall) => cluster_rows(tall, labels, params, observer),
    }
}

fn cluster_rows<T: Real>(
    embedding: &Tall<T>,
    labels: Option<&Labels>,
    params: &ClusterParams,
    observer: &dyn EvalObserver,
) -> Result<ClusterExperimentReport, EvalError> {
    at_least_one(&[("shuffles", params.shuffles), ("silhouettes", params.silhouette_sample)])?;
    let rows = embedding.rows();
    if let Some(labels) = labels {
        same_length("rows of the embedding", rows, "labelled nodes", labels.len())?;
    }
    let filled = labels.map(|l| l.class_sizes().into_iter().filter(|&size| size > 0).count());
    let clusters = params.clusters.or(filled);
    let clusters = clusters.ok_or(EvalError::NoClusterCount)?;
    let mut counter = Counter::new(observer, params.shuffles);
    let mut runs = Vec::with_capacity(params.shuffles);
    for shuffle in 0..params.shuffles {
        let seed = params.seed ^ mix(shuffle as u64);
        let found = k_means(
            embedding,
            &KMeansParams { restarts: params.restarts, seed, ..KMeansParams::new(clusters) },
        )?;
        let parts = found.assignment;
        let several = parts.iter().any(|&part| part != parts[0]);
        let width = several.then(|| silhouette(embedding, &parts, params.silhouette_sample, seed));
        runs.push(ClusterRun {
            agreement: labels.map(|labels| compare_clusters(&parts, labels)).transpose()?,
            silhouette: width.transpose()?,
            inertia: found.inertia,
        });
        counter.step()?;
    }
    Ok(summarise(runs, clusters, rows, labels, params))
}

fn summarise(
    runs: Vec<ClusterRun>,
    clusters: usize,
    nodes: usize,
    labels: Option<&Labels>,
    params: &ClusterParams,
) -> ClusterExperimentReport {
    let labelled = labels.map_or(0, |l| (0..l.len()).filter(|&n| !l.of(n).is_empty()).count());
    let agreement = |part: fn(&ClusterReport) -> f64| {
        labels?;
        Some(Spread::of(runs.iter().filter_map(|run| run.agreement.as_ref().map(part))))
    };
    let widths = runs.iter().filter_map(|run| run.silhouette);
    ClusterExperimentReport {
        clusters,
        nodes,
        labelled,
        silhouette_nodes: nodes.min(params.silhouette_sample),
        nmi: agreement(|report| report.nmi),
        ari: agreement(|report| report.ari),
        accuracy: agreement(|report| report.accuracy),
        silhouette: widths.clone().next().map(|_| Spread::of(widths)),
        runs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{clouds, labels, random, random_classes};
    use gage_core::solver::NoObserver;

    fn params() -> ClusterParams {
        ClusterParams { shuffles: 3, restarts: 4, ..ClusterParams::default() }
    }

    #[test]
    fn clouds_are_found_and_noise_is_not() {
        let (embedding, numbers) = clouds(400, 8, 4, 6.0, 51);
        let known = labels(&numbers);
        let found =
            cluster(&AnyTall::F64(embedding), Some(&known), &params(), &NoObserver).unwrap();
        assert_eq!((found.clusters, found.labelled, found.runs.len()), (4, 400, 3));
        assert!(found.nmi.unwrap().mean > 0.95 && found.accuracy.unwrap().mean > 0.95);
        assert!(found.silhouette.unwrap().mean > 0.4);
        let noise = AnyTall::F64(random(400, 8, 52));
        let known = labels(&random_classes(400, 4, 53));
        let found = cluster(&noise, Some(&known), &params(), &NoObserver).unwrap();
        assert!(found.ari.unwrap().mean.abs() < 0.03, "{:?}", found.ari);
    }

    #[test]
    fn without_labels_there_are_silhouettes_only() {
        let (embedding, _) = clouds(100, 4, 3, 6.0, 54);
        let embedding = AnyTall::F64(embedding);
        let wanted = ClusterParams { clusters: Some(3), ..params() };
        let found = cluster(&embedding, None, &wanted, &NoObserver).unwrap();
        assert!(found.nmi.is_none() && found.silhouette.unwrap().mean > 0.4);
        let one = ClusterParams { clusters: Some(1), ..params() };
        assert!(cluster(&embedding, None, &one, &NoObserver).unwrap().silhouette.is_none());
        let fault = cluster(&embedding, None, &params(), &NoObserver);
        assert_eq!(fault, Err(EvalError::NoClusterCount));
        assert!(cluster(&embedding, Some(&labels(&[0, 1])), &wanted, &NoObserver).is_err());
    }
}
