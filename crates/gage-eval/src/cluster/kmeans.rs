//! k-means clustering.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::centred::centred_rows;
use gage_core::holdout::{EvalError, check_rows};
use gage_linalg::kernel::{TopK, cluster_members, nearest_centroids, update_centroids};
use gage_linalg::random::{Stream, mix};
use gage_linalg::{Real, Tall};

/// Rows handled at a time.
const CHUNK: usize = 256;

/// How to cluster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KMeansParams {
    /// Number of clusters, at least 1 and at most the number of rows.
    pub clusters: usize,
    /// Independent starts; the one with the smallest inertia is kept.
    pub restarts: usize,
    /// Largest number of rounds of one start.
    pub max_iterations: usize,
    /// Stop when the squared lengths by which the centroids moved add up to less than this times
    /// the mean variance of a column.
    pub tolerance: f64,
    /// Decides the starts.
    pub seed: u64,
}

impl KMeansParams {
    /// Usual settings for a number of clusters.
    pub fn new(clusters: usize) -> KMeansParams {
        KMeansParams { clusters, restarts: 10, max_iterations: 300, tolerance: 1e-4, seed: 0 }
    }

    fn check(&self, rows: usize) -> Result<(), EvalError> {
        let at_least = [
            ("clusters", self.clusters),
            ("restarts", self.restarts),
            ("iterations of k-means", self.max_iterations),
        ];
        if let Some(&(what, found)) = at_least.iter().find(|(_, count)| *count == 0) {
            return Err(EvalError::TooFew { what, needed: 1, found });
        }
        if rows < self.clusters {
            let what = "rows for that many clusters";
            return Err(EvalError::TooFew { what, needed: self.clusters, found: rows });
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            let (name, value) = ("tolerance", self.tolerance);
            return Err(EvalError::Parameter { name, value, bound: "finite and not negative" });
        }
        Ok(())
    }
}

/// Clusters of the rows of an embedding.
#[derive(Clone, Debug)]
pub struct KMeans {
    /// Cluster of each row.
    pub assignment: Vec<u32>,
    /// One row per cluster.
    pub centroids: Tall<f64>,
    /// Sum of the squared distances of the rows to their centroids.
    pub inertia: f64,
    /// Rounds of the start that was kept.
    pub iterations: usize,
    /// Whether it came to rest before the largest number of rounds.
    pub converged: bool,
}

/// Clusters the rows by Lloyd's algorithm from greedy k-means++ starts: each new centroid is the
/// best of `2 + ln k` rows drawn with probability proportional to their squared distance from the
/// centroids so far (Arthur and Vassilvitskii 2007). A cluster that runs empty is restarted at the
/// row farthest from its centroid.
///
/// Cost `2 n p k` flops a round, in parallel. The rows are copied once, in `f64`.
///
/// ```
/// use gage_embed::eval::{KMeansParams, k_means};
/// use gage_embed::Tall;
/// let values = [0., 1., 2., 50., 51., 52.];
/// let points = Tall::from_rows(6, 1, |row, out: &mut [f32]| out[0] = values[row]);
/// let found = k_means(&points, &KMeansParams::new(2))?;
/// assert_eq!(found.inertia, 4.0);
/// assert_ne!(found.assignment[0], found.assignment[5]);
/// # Ok::<(), gage_embed::eval::EvalError>(())
/// ```
pub fn k_means<T: Real>(embedding: &Tall<T>, params: &KMeansParams) -> Result<KMeans, EvalError> {
    params.check(embedding.rows())?;
    let rows: Vec<u32> = (0..embedding.rows()).map(|row| row as u32).collect();
    check_rows(embedding, &rows)?;
    let (points, origin) = centred_rows(embedding, &rows);
    let variance = points.data().iter().map(|value| value * value).sum::<f64>()
        / points.data().len().max(1) as f64;
    let threshold = params.tolerance * variance;
    let mut best: Option<KMeans> = None;
    for restart in 0..params.restarts {
        let mut stream = Stream::new(params.seed ^ mix(restart as u64));
        let found = lloyd(&points, params, threshold, &mut stream);
        if best.as_ref().is_none_or(|best| found.inertia < best.inertia) {
            best = Some(found);
        }
    }
    let mut best = best.ok_or(EvalError::TooFew { what: "restarts", needed: 1, found: 0 })?;
    best.centroids.par_update_rows(|_, row| {
        row.iter_mut().zip(&origin).for_each(|(value, origin)| *value += origin);
    });
    Ok(best)
}

/// One start; the centroids are those of the centred rows.
fn lloyd(points: &Tall<f64>, params: &KMeansParams, threshold: f64, stream: &mut Stream) -> KMeans {
    let mut centroids = seeds(points, params.clusters, stream);
    let mut assignment = nearest_centroids(points, &centroids);
    let (mut iterations, mut converged) = (0, false);
    while iterations < params.max_iterations && !converged {
        let moved = moved_centroids(points, &assignment, &centroids);
        let shift = squared_distance(moved.data(), centroids.data());
        centroids = moved;
        let next = nearest_centroids(points, &centroids);
        converged = next == assignment || shift <= threshold;
        assignment = next;
        iterations += 1;
    }
    // Added in order of the rows, so that the sum does not depend on threads.
    let inertia = own_distances(points, &assignment, &centroids).sum();
    KMeans { assignment, centroids, inertia, iterations, converged }
}

/// Squared distance of every row to the centroid of its cluster.
fn own_distances<'a>(
    points: &'a Tall<f64>,
    assignment: &'a [u32],
    centroids: &'a Tall<f64>,
) -> impl Iterator<Item = f64> + 'a {
    let rows = assignment.iter().enumerate();
    rows.map(|(row, &own)| squared_distance(points.row(row), centroids.row(own as usize)))
}

/// Means of the clusters; those of empty clusters are the rows farthest from their centroids.
fn moved_centroids(points: &Tall<f64>, assignment: &[u32], centroids: &Tall<f64>) -> Tall<f64> {
    let members = cluster_members(assignment, centroids.rows());
    let mut moved = centroids.clone();
    update_centroids(points, &members, &mut moved);
    let empty: Vec<usize> = (0..members.len()).filter(|&c| members[c].is_empty()).collect();
    if !empty.is_empty() {
        let mut far = TopK::new(empty.len());
        let distances = own_distances(points, assignment, centroids);
        distances.zip(0..).for_each(|(distance, row)| far.offer(-distance, row));
        for (cluster, (_, row)) in empty.into_iter().zip(far.into_sorted()) {
            moved.row_mut(cluster).copy_from_slice(points.row(row as usize));
        }
    }
    moved
}

/// Greedy k-means++.
fn seeds(points: &Tall<f64>, clusters: usize, stream: &mut Stream) -> Tall<f64> {
    let trials = 2 + (clusters as f64).ln() as usize;
    let mut chosen = vec![stream.below(points.rows())];
    let mut closest = vec![f64::INFINITY; points.rows()];
    lower(points, points.row(chosen[0]), &mut closest);
    for _ in 1..clusters {
        let mut best: Option<(f64, usize, Vec<f64>)> = None;
        for _ in 0..trials {
            let row = draw(&closest, stream);
            let mut lowered = closest.clone();
            lower(points, points.row(row), &mut lowered);
            let potential = lowered.iter().sum();
            if best.as_ref().is_none_or(|best| potential < best.0) {
                best = Some((potential, row, lowered));
            }
        }
        if let Some((_, row, lowered)) = best {
            chosen.push(row);
            closest = lowered;
        }
    }
    Tall::from_rows(clusters, points.cols(), |cluster, out: &mut [f64]| {
        out.copy_from_slice(points.row(chosen[cluster]));
    })
}

/// Lowers each squared distance to that from `seed`.
fn lower(points: &Tall<f64>, seed: &[f64], closest: &mut [f64]) {
    closest.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, closest)| {
        for (at, closest) in closest.iter_mut().enumerate() {
            *closest = closest.min(squared_distance(points.row(chunk * CHUNK + at), seed));
        }
    });
}

/// `|x - y|^2` by differences, which keeps near rows apart where the expansion would round.
fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// A row drawn with probability proportional to its weight; any row if all weights are zero.
fn draw(weights: &[f64], stream: &mut Stream) -> usize {
    let total: f64 = weights.iter().sum();
    if total.is_nan() || total <= 0.0 {
        return stream.below(weights.len());
    }
    let mut left = total * stream.unit();
    for (row, &weight) in weights.iter().enumerate() {
        if left < weight {
            return row;
        }
        left -= weight;
    }
    // Rounding used up the last bit of the sum.
    weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{clouds, random};
    use crate::{adjusted_rand_index, normalized_mutual_information};

    #[test]
    fn planted_clusters_are_found() {
        let (embedding, numbers) = clouds(500, 8, 6, 6.0, 31);
        let truth: Vec<u32> = numbers.iter().map(|&class| class as u32).collect();
        let found = k_means(&embedding, &KMeansParams::new(6)).unwrap();
        assert!(found.converged);
        assert!(adjusted_rand_index(&truth, &found.assignment).unwrap() > 0.98);
        // The inertia of unit normal clouds is about n p, and that of the true classes is no
        // smaller.
        assert!((found.inertia / (500.0 * 8.0) - 1.0).abs() < 0.1, "{}", found.inertia);
    }

    #[test]
    fn clusters_of_noise_know_nothing_of_the_classes() {
        let embedding = random(3000, 8, 32);
        let truth: Vec<u32> = (0..3000).map(|row| row % 4).collect();
        let found =
            k_means(&embedding, &KMeansParams { restarts: 2, ..KMeansParams::new(4) }).unwrap();
        assert!(adjusted_rand_index(&truth, &found.assignment).unwrap().abs() < 0.01);
        assert!(normalized_mutual_information(&truth, &found.assignment).unwrap() < 0.01);
    }

    #[test]
    fn bits_depend_on_the_seed_and_not_on_threads() {
        let embedding = random(700, 5, 33);
        let run = |threads: usize, seed: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let params = KMeansParams { restarts: 1, seed, ..KMeansParams::new(7) };
            pool.install(|| k_means(&embedding, &params).unwrap())
        };
        let (one, four) = (run(1, 5), run(4, 5));
        assert_eq!(one.assignment, four.assignment);
        assert_eq!(one.centroids.data(), four.centroids.data());
        assert_ne!(one.assignment, run(1, 6).assignment);
    }

    #[test]
    fn fewer_distinct_rows_than_clusters() {
        let equal = Tall::from_rows(9, 2, |_, out: &mut [f64]| out.fill(3.0));
        let found = k_means(&equal, &KMeansParams::new(4)).unwrap();
        assert_eq!(found.inertia, 0.0);
        assert!(found.centroids.data().iter().all(|&value| value == 3.0));
        let no_columns = Tall::<f32>::zeros(5, 0);
        assert_eq!(k_means(&no_columns, &KMeansParams::new(2)).unwrap().inertia, 0.0);
    }

    #[test]
    fn faults_are_named() {
        let mut embedding = random(3, 2, 1);
        for clusters in [0, 4] {
            assert!(k_means(&embedding, &KMeansParams::new(clusters)).is_err());
        }
        embedding.row_mut(2)[0] = f64::NAN;
        assert!(k_means(&embedding, &KMeansParams::new(2)).is_err());
    }
}
