//! Silhouettes: how much closer a node is to its own cluster than to the next.

use rayon::prelude::*;

use super::centred::centred_rows;
use gage_core::holdout::{EvalError, check_rows, same_length};
use gage_linalg::kernel::{squared_distances, squared_lengths};
use gage_linalg::random::Stream;
use gage_linalg::{Real, Tall};

/// Rows whose distances to all others are held at a time.
const CHUNK: usize = 256;

/// A usual sample size for [`silhouette()`].
pub const SILHOUETTE_SAMPLE: usize = 10_000;

/// Mean silhouette `(b - a) / max(a, b)` of the rows, where a is the mean Euclidean distance to the
/// other rows of the same cluster and b the smallest mean distance to the rows of another; 0 for a
/// row alone in its cluster.
///
/// Equal to scikit-learn's `silhouette_score`. At most `sample` rows are used: when there are more,
/// the silhouettes are those of a random sample of that size alone, drawn by `seed`. Cost `2 m^2 p`
/// flops for m rows, in parallel, and 256 m numbers of memory a thread.
pub fn silhouette<T: Real>(
    embedding: &Tall<T>,
    assignment: &[u32],
    sample: usize,
    seed: u64,
) -> Result<f64, EvalError> {
    same_length("rows of the embedding", embedding.rows(), "clustered nodes", assignment.len())?;
    let rows = sampled_rows(assignment.len(), sample, seed);
    let each = silhouettes_of(embedding, assignment, &rows)?;
    Ok(each.iter().sum::<f64>() / each.len() as f64)
}

/// Silhouette of each of the given rows among these rows alone, in the order given.
pub fn silhouettes_of<T: Real>(
    embedding: &Tall<T>,
    assignment: &[u32],
    rows: &[u32],
) -> Result<Vec<f64>, EvalError> {
    same_length("rows of the embedding", embedding.rows(), "clustered nodes", assignment.len())?;
    check_rows(embedding, rows)?;
    let mut parts: Vec<u32> = rows.iter().map(|&row| assignment[row as usize]).collect();
    parts.sort_unstable();
    parts.dedup();
    if parts.len() < 2 {
        let what = "clusters among the rows";
        return Err(EvalError::TooFew { what, needed: 2, found: parts.len() });
    }
    // Every part was taken from the rows, so the search succeeds.
    let own: Vec<usize> = rows
        .iter()
        .map(|&row| parts.binary_search(&assignment[row as usize]).unwrap_or(0))
        .collect();
    let mut sizes = vec![0usize; parts.len()];
    own.iter().for_each(|&part| sizes[part] += 1);
    let (points, _) = centred_rows(embedding, rows);
    let squares = squared_lengths(&points);
    let mut out = vec![0.0; rows.len()];
    out.par_chunks_mut(CHUNK).enumerate().for_each_init(Vec::new, |scratch, (chunk, out)| {
        let first = chunk * CHUNK;
        squared_distances(&points, &squares, first..first + out.len(), scratch);
        let mut sums = vec![0.0; sizes.len()];
        for (at, (out, squares)) in out.iter_mut().zip(scratch.chunks_exact(rows.len())).enumerate()
        {
            sums.fill(0.0);
            for (other, (square, &part)) in squares.iter().zip(&own).enumerate() {
                // The expansion leaves rounding noise where the distance to itself is zero.
                if other != first + at {
                    sums[part] += square.sqrt();
                }
            }
            *out = one(&sums, &sizes, own[first + at]);
        }
    });
    Ok(out)
}

/// The silhouette of one row from the sums of its distances to every part.
fn one(sums: &[f64], sizes: &[usize], own: usize) -> f64 {
    if sizes[own] < 2 {
        return 0.0;
    }
    let within = sums[own] / (sizes[own] - 1) as f64;
    let between = (0..sums.len())
        .filter(|&part| part != own)
        .map(|part| sums[part] / sizes[part] as f64)
        .fold(f64::INFINITY, f64::min);
    let larger = within.max(between);
    if larger > 0.0 { (between - within) / larger } else { 0.0 }
}

/// All rows, or `sample` of them in rising order.
fn sampled_rows(rows: usize, sample: usize, seed: u64) -> Vec<u32> {
    let mut all: Vec<u32> = (0..rows).map(|row| row as u32).collect();
    if rows > sample {
        Stream::new(seed).shuffle(&mut all);
        all.truncate(sample);
        all.sort_unstable();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{clouds, random};

    #[test]
    fn known_values() {
        let points = Tall::from_rows(4, 1, |row, out: &mut [f64]| out[0] = [0., 1., 4., 9.][row]);
        let each = silhouettes_of(&points, &[7, 7, 3, 5], &[0, 1, 2, 3]).unwrap();
        // Row 0: a = 1, b = 4; row 1: a = 1, b = 3; the others are alone.
        for (found, expected) in each.iter().zip([0.75, 2.0 / 3.0, 0.0, 0.0]) {
            assert!((found - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn separated_clusters_score_high_and_noise_low() {
        let (embedding, numbers) = clouds(600, 10, 3, 10.0, 41);
        let parts: Vec<u32> = numbers.iter().map(|&class| class as u32).collect();
        let whole = silhouette(&embedding, &parts, 1000, 0).unwrap();
        let sampled = silhouette(&embedding, &parts, 200, 0).unwrap();
        assert!(whole > 0.7, "{whole}");
        assert!((whole - sampled).abs() < 0.05, "{whole} {sampled}");
        let noise = silhouette(&random(600, 10, 42), &parts, 1000, 0).unwrap();
        assert!(noise.abs() < 0.02, "{noise}");
    }

    #[test]
    fn equal_rows_score_zero() {
        let equal = Tall::from_rows(4, 2, |_, out: &mut [f32]| out.fill(1.5));
        assert_eq!(silhouette(&equal, &[0, 0, 1, 1], 10, 0), Ok(0.0));
    }

    #[test]
    fn faults_are_named() {
        let embedding = random(4, 2, 1);
        assert!(silhouette(&embedding, &[0, 0, 0, 0], 10, 0).is_err());
        assert!(silhouette(&embedding, &[0, 1], 10, 0).is_err());
        assert!(silhouette(&embedding, &[0, 1, 0, 1], 0, 0).is_err());
        assert!(silhouettes_of(&embedding, &[0, 1, 0, 1], &[0, 4]).is_err());
    }
}
