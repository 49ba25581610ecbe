//! Exact nearest neighbours among rows in single precision.

use rayon::prelude::*;

use super::top_k::TopK;
use crate::tall::Tall;

/// Partial sums of a distance; the compiler makes vector instructions of them.
const LANES: usize = 16;

/// Queries that share one pass over the rows.
const QUERIES: usize = 8;

/// Squared distance of two rows of the same length.
#[inline]
pub fn squared_distance(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; LANES];
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 =
        left.remainder().iter().zip(right.remainder()).map(|(x, y)| (x - y) * (x - y)).sum();
    for (x, y) in left.zip(right) {
        for lane in 0..LANES {
            let difference = x[lane] - y[lane];
            sums[lane] += difference * difference;
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// The `k` nearest other rows of each queried row, nearest first, as squared distance and label.
/// Equally near rows come in the order of their labels. Cost `3 q n p` flops for `q` queries.
pub fn exact_neighbours(
    rows: &Tall<f32>,
    queries: &[u32],
    k: usize,
    label: impl Fn(usize) -> u32 + Sync,
) -> Vec<Vec<(f32, u32)>> {
    let search = |queries: &[u32]| {
        let mut found = vec![TopK::new(k); queries.len()];
        for other in 0..rows.rows() {
            let (values, label) = (rows.row(other), label(other));
            for (&query, found) in queries.iter().zip(&mut found) {
                if query as usize != other {
                    found.offer(squared_distance(rows.row(query as usize), values), label);
                }
            }
        }
        found.into_iter().map(TopK::into_sorted)
    };
    queries.par_chunks(QUERIES).flat_map_iter(search).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::fill_normal;

    #[test]
    fn distances_of_any_length() {
        for length in [0, 1, 15, 16, 17, 40] {
            let a: Vec<f32> = (0..length).map(|i| i as f32).collect();
            let b: Vec<f32> = (0..length).map(|i| i as f32 + 2.0).collect();
            assert_eq!(squared_distance(&a, &b), 4.0 * length as f32);
        }
    }

    #[test]
    fn neighbours_are_those_of_a_plain_search() {
        let rows = Tall::from_rows(70, 19, |row, out| fill_normal(3, row as u64, out));
        let queries: Vec<u32> = (0..70).step_by(3).collect();
        let found = exact_neighbours(&rows, &queries, 4, |row| 100 + row as u32);
        for (&query, found) in queries.iter().zip(found) {
            let others = (0..70).filter(|&other| other != query);
            let mut all: Vec<(f32, u32)> = others
                .map(|other| {
                    let (a, b) = (rows.row(query as usize), rows.row(other as usize));
                    (squared_distance(a, b), 100 + other)
                })
                .collect();
            all.sort_by(|a, b| a.partial_cmp(b).unwrap());
            assert_eq!(found, all[..4]);
        }
    }
}
