//! k-means clustering.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::distances::{CHUNK, Points, centre, squared_distance};
use gage_core::holdout::{EvalError, check_rows};
use gage_linalg::random::{Stream, mix};
use gage_linalg::{Real, Tall};

/// How to cluster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KMeansParams {
    /// Number of clusters, at least 1 and at most the number of rows.
    pub clusters: usize,
    /// Independent starts; the one with the smallest inertia is kept.
    pub restarts: usize,
    /// Largest number of rounds of one start.
    pub max_iterations: usize,
    /// Stop when the centres together moved by less than this times the mean variance of a column, squared lengths.
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
    pub centres: Tall<f64>,
    /// Sum of the squared distances of the rows to their centres.
    pub inertia: f64,
    /// Rounds of the start that was kept.
    pub iterations: usize,
    /// Whether it came to rest before the largest number of rounds.
    pub converged: bool,
}

/// Clusters the rows by Lloyd's algorithm from greedy k-means++ starts: each new centre is the best of `2 + ln k` rows
/// drawn with probability proportional to their squared distance from the centres so far (Arthur and Vassilvitskii
/// 2007). A cluster that runs empty is restarted at the row farthest from its centre.
///
/// Cost `2 n p k` flops a round, in parallel. The rows are copied once, in `f64`.
///
/// ```
/// use gage_embed::eval::{KMeansParams, k_means};
/// use gage_embed::Tall;
/// let points = Tall::from_rows(6, 1, |row, out: &mut [f32]| out[0] = [0., 1., 2., 50., 51., 52.][row]);
/// let found = k_means(&points, &KMeansParams::new(2))?;
/// assert_eq!(found.inertia, 4.0);
/// assert_ne!(found.assignment[0], found.assignment[5]);
/// # Ok::<(), gage_embed::eval::EvalError>(())
/// ```
pub fn k_means<T: Real>(embedding: &Tall<T>, params: &KMeansParams) -> Result<KMeans, EvalError> {
    params.check(embedding.rows())?;
    let rows: Vec<u32> = (0..embedding.rows()).map(|row| row as u32).collect();
    check_rows(embedding, &rows)?;
    let origin = centre(embedding, &rows);
    let points = Points::gather(embedding, &rows, &origin);
    let variance = points.values.iter().map(|value| value * value).sum::<f64>()
        / points.values.len().max(1) as f64;
    let threshold = params.tolerance * variance;
    let mut best: Option<Start> = None;
    for restart in 0..params.restarts {
        let mut stream = Stream::new(params.seed ^ mix(restart as u64));
        let found = lloyd(&points, params, threshold, &mut stream);
        if best.as_ref().is_none_or(|best| found.inertia < best.inertia) {
            best = Some(found);
        }
    }
    let best = best.ok_or(EvalError::TooFew { what: "restarts", needed: 1, found: 0 })?;
    Ok(KMeans {
        assignment: best.assignment,
        centres: Tall::from_rows(params.clusters, points.cols, |cluster, out: &mut [f64]| {
            let moved = best.centres.row(cluster).iter().zip(&origin);
            out.iter_mut().zip(moved).for_each(|(out, (value, origin))| *out = value + origin);
        }),
        inertia: best.inertia,
        iterations: best.iterations,
        converged: best.converged,
    })
}

/// Outcome of one start.
struct Start {
    assignment: Vec<u32>,
    centres: Points,
    inertia: f64,
    iterations: usize,
    converged: bool,
}

fn lloyd(points: &Points, params: &KMeansParams, threshold: f64, stream: &mut Stream) -> Start {
    let (clusters, cols) = (params.clusters, points.cols);
    let mut centres = seeds(points, clusters, stream);
    let mut assignment = nearest(points, &centres);
    let (mut iterations, mut converged) = (0, false);
    while iterations < params.max_iterations && !converged {
        let moved_to = means(points, &assignment, &centres);
        let shift = squared_distance(&moved_to, &centres.values);
        centres = Points::new(moved_to, clusters, cols);
        let next = nearest(points, &centres);
        converged = next == assignment || shift <= threshold;
        assignment = next;
        iterations += 1;
    }
    // Added in order of the rows, so that the sum does not depend on threads.
    let inertia = assignment
        .iter()
        .enumerate()
        .map(|(row, &cluster)| squared_distance(points.row(row), centres.row(cluster as usize)))
        .sum();
    Start { assignment, centres, inertia, iterations, converged }
}

/// Nearest centre of every row, the lower number at a tie.
fn nearest(points: &Points, centres: &Points) -> Vec<u32> {
    let clusters = centres.rows();
    let mut assignment = vec![0u32; points.rows()];
    assignment.par_chunks_mut(CHUNK).enumerate().for_each_init(
        Vec::new,
        |scratch, (chunk, out)| {
            let first = chunk * CHUNK;
            points.squared_distances(first..first + out.len(), centres, scratch);
            for (out, distances) in out.iter_mut().zip(scratch.chunks_exact(clusters)) {
                let best = distances.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
                *out = best.map_or(0, |(cluster, _)| cluster as u32);
            }
        },
    );
    assignment
}

/// Mean of the rows of every cluster; empty clusters move to the rows farthest from their centres.
fn means(points: &Points, assignment: &[u32], centres: &Points) -> Vec<f64> {
    let cols = points.cols;
    let mut sums = vec![0.0; centres.rows() * cols];
    let mut sizes = vec![0usize; centres.rows()];
    for (row, &cluster) in assignment.iter().enumerate() {
        let cluster = cluster as usize;
        sizes[cluster] += 1;
        let sum = &mut sums[cluster * cols..(cluster + 1) * cols];
        sum.iter_mut().zip(points.row(row)).for_each(|(sum, value)| *sum += value);
    }
    let mut far: Vec<(f64, usize)> = Vec::new();
    if sizes.contains(&0) {
        far = assignment
            .iter()
            .enumerate()
            .map(|(row, &own)| (squared_distance(points.row(row), centres.row(own as usize)), row))
            .collect();
        far.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    }
    for (cluster, &size) in sizes.iter().enumerate() {
        let sum = &mut sums[cluster * cols..(cluster + 1) * cols];
        if size > 0 {
            sum.iter_mut().for_each(|sum| *sum /= size as f64);
        } else if let Some((_, row)) = far.pop() {
            sum.copy_from_slice(points.row(row));
        }
    }
    sums
}

/// Greedy k-means++.
fn seeds(points: &Points, clusters: usize, stream: &mut Stream) -> Points {
    let (rows, cols) = (points.rows(), points.cols);
    let trials = 2 + (clusters as f64).ln() as usize;
    let mut values = points.row(stream.below(rows)).to_vec();
    let mut closest = vec![f64::INFINITY; rows];
    lower(points, &values, &mut closest);
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
            values.extend_from_slice(points.row(row));
            closest = lowered;
        }
    }
    Points::new(values, clusters, cols)
}

/// Lowers each squared distance to that from `seed`.
fn lower(points: &Points, seed: &[f64], closest: &mut [f64]) {
    closest.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, closest)| {
        for (at, closest) in closest.iter_mut().enumerate() {
            *closest = closest.min(squared_distance(points.row(chunk * CHUNK + at), seed));
        }
    });
}

/// A row drawn with probability proportional to its weight; any row if all weights are zero.
fn draw(weights: &[f64], stream: &mut Stream) -> usize {
    let total: f64 = weights.iter().sum();
    if total.is_nan() || total <= 0.0 {
        return stream.below(weights.len());
    }
    let mut left = total * (stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
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
        // The inertia of unit normal clouds is about n p, and that of the true classes is no smaller.
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
        assert_eq!(one.centres.data(), four.centres.data());
        assert_ne!(one.assignment, run(1, 6).assignment);
    }

    #[test]
    fn fewer_distinct_rows_than_clusters() {
        let equal = Tall::from_rows(9, 2, |_, out: &mut [f64]| out.fill(3.0));
        let found = k_means(&equal, &KMeansParams::new(4)).unwrap();
        assert_eq!(found.inertia, 0.0);
        assert!(found.centres.data().iter().all(|&value| value == 3.0));
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
