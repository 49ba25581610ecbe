//! Centroids of the lists, by k-means on a sample of the rows.

use gage_linalg::Tall;
use gage_linalg::kernel::{cluster_members, nearest_centroids, update_centroids};
use gage_linalg::random::Stream;

/// Rows of the sample for each centroid. With the rounds below, the sample costs about as much as
/// the assignment at a million rows.
const SAMPLE_PER_CENTROID: usize = 32;

/// Rounds of k-means. The lists need not be at rest: they only have to be compact.
const ROUNDS: usize = 8;

/// How many lists divide `rows` rows well: comparing with the centroids should cost about as much
/// as reading the lists.
pub(crate) fn list_count(rows: usize) -> usize {
    let wanted = (4.0 * (rows as f64).sqrt()) as usize;
    wanted.min(rows / 8).max(1)
}

/// Finds centroids for the rows named in `present` (not empty): Lloyd's algorithm from random rows.
pub(crate) fn centroids(rows: &Tall<f32>, present: &[u32], count: usize, seed: u64) -> Tall<f32> {
    let mut stream = Stream::new(seed);
    let mut order = present.to_vec();
    let taken = order.len().min(count * SAMPLE_PER_CENTROID);
    stream.sample_to_front(&mut order, taken);
    let copy = |row: usize, out: &mut [f32]| out.copy_from_slice(rows.row(order[row] as usize));
    let sample = Tall::from_rows(taken, rows.cols(), copy);
    let mut centroids = Tall::from_rows(count.min(taken), rows.cols(), copy);
    for _ in 0..ROUNDS {
        let mut members = cluster_members(&nearest_centroids(&sample, &centroids), count);
        refill_empty(&mut members, &mut stream);
        update_centroids(&sample, &members, &mut centroids);
    }
    centroids
}

/// Gives each empty cluster one row of the largest; where rows repeat, it may run empty again,
/// which harms nobody.
fn refill_empty(members: &mut [Vec<u32>], stream: &mut Stream) {
    for at in 0..members.len() {
        if members[at].is_empty() {
            let sizes = members.iter().map(Vec::len).enumerate();
            let largest =
                sizes.max_by_key(|&(at, size)| (size, usize::MAX - at)).map_or(0, |(at, _)| at);
            if members[largest].len() > 1 {
                let position = stream.below(members[largest].len());
                let row = members[largest].remove(position);
                members[at].push(row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_clusters_get_a_centroid_each() {
        let rows = Tall::from_rows(400, 3, |row, out: &mut [f32]| {
            let cluster = (row % 4) as f32;
            out.copy_from_slice(&[10.0 * cluster, -5.0 * cluster, (row / 4) as f32 * 1e-3]);
        });
        let present: Vec<u32> = (0..400).collect();
        let found = centroids(&rows, &present, 12, 3);
        let nearest = nearest_centroids(&rows, &found);
        for (row, &centroid) in nearest.iter().enumerate() {
            assert!(
                (found.row(centroid as usize)[0] - 10.0 * (row % 4) as f32).abs() < 1.0,
                "row {row}"
            );
        }
    }

    #[test]
    fn equal_rows_and_few_rows_are_no_trouble() {
        let rows = Tall::from_rows(50, 2, |_, out: &mut [f32]| out.fill(1.0));
        let present: Vec<u32> = (0..50).collect();
        let found = centroids(&rows, &present, 5, 0);
        assert!(found.data().iter().all(|&x| x == 1.0) && found.rows() == 5);
        assert_eq!(list_count(0), 1);
        assert_eq!(list_count(7), 1);
        assert_eq!(list_count(1_000_000), 4000);
    }
}
