//! Clustering: k-means, scores of a clustering, and the experiment over random starts.

mod assignment;
mod centred;
mod experiment;
mod kmeans;
mod scores;
mod silhouette;

pub use experiment::{ClusterExperimentReport, ClusterParams, ClusterRun, cluster};
pub use kmeans::{KMeans, KMeansParams, k_means};
pub use scores::{
    ClusterReport, adjusted_rand_index, assignment_accuracy, compare_clusters,
    normalized_mutual_information,
};
pub use silhouette::{SILHOUETTE_SAMPLE, silhouette, silhouettes_of};
