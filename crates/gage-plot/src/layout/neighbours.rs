//! Nearest rows: exact for few, by a forest and neighbours of neighbours for many.

use gage_linalg::Tall;
use gage_linalg::kernel::{TopK, exact_neighbours, squared_distance};
use rayon::prelude::*;

use super::forest;

/// The `k` nearest other rows of every row, nearest first; ties go to the lower number.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbours {
    /// Neighbours of each row.
    pub k: usize,
    /// `k` row numbers for every row.
    pub rows: Vec<u32>,
    /// Their squared distances.
    pub squares: Vec<f32>,
}

/// Finds neighbours of all rows. With more than `exact` rows, a few of them may be missed.
pub fn nearest(rows: &Tall<f32>, k: usize, exact: usize, seed: u64) -> Neighbours {
    let k = k.min(rows.rows().saturating_sub(1));
    if rows.rows() <= exact {
        let all: Vec<u32> = (0..rows.rows() as u32).collect();
        return collect(k, &exact_neighbours(rows, &all, k, |row| row as u32));
    }
    let leaves = forest::grow(rows, seed);
    let mut found = improve(rows, k, |row, out| forest::leaf_members(&leaves, row, out));
    drop(leaves);
    // Two rounds bring the recall from about a half to nearly all; a third changes little.
    for _ in 0..2 {
        let reverse = reversed(&found);
        found = improve(rows, k, |row, out| second_neighbours(&found, &reverse, row, out));
    }
    found
}

fn collect(k: usize, lists: &[Vec<(f32, u32)>]) -> Neighbours {
    let mut found = Neighbours { k, rows: Vec::new(), squares: Vec::new() };
    for list in lists {
        found.rows.extend(list.iter().map(|entry| entry.1));
        found.squares.extend(list.iter().map(|entry| entry.0));
    }
    found
}

/// The best of the candidates of every row; there are always at least `k` of them.
fn improve(
    rows: &Tall<f32>,
    k: usize,
    candidates: impl Fn(usize, &mut Vec<u32>) + Sync,
) -> Neighbours {
    let lists: Vec<Vec<(f32, u32)>> = (0..rows.rows())
        .into_par_iter()
        .with_min_len(64)
        .map_init(Vec::new, |list, row| {
            list.clear();
            candidates(row, list);
            list.sort_unstable();
            list.dedup();
            let values = rows.row(row);
            let mut best = TopK::new(k);
            for &other in list.iter().filter(|&&other| other as usize != row) {
                best.offer(squared_distance(values, rows.row(other as usize)), other);
            }
            best.into_sorted()
        })
        .collect();
    collect(k, &lists)
}

/// For every row, the rows that count it among their neighbours.
struct Reversed {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

fn reversed(found: &Neighbours) -> Reversed {
    let nodes = found.rows.len() / found.k.max(1);
    let mut starts = vec![0u32; nodes + 1];
    found.rows.iter().for_each(|&row| starts[row as usize + 1] += 1);
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let (mut next, mut rows) = (starts.clone(), vec![0u32; found.rows.len()]);
    for (node, list) in found.rows.chunks_exact(found.k.max(1)).enumerate() {
        for &row in list {
            rows[next[row as usize] as usize] = node as u32;
            next[row as usize] += 1;
        }
    }
    Reversed { starts, rows }
}

/// Neighbours, their neighbours, and those a row is a neighbour of.
fn second_neighbours(found: &Neighbours, reverse: &Reversed, row: usize, out: &mut Vec<u32>) {
    let list = |row: usize| &found.rows[row * found.k..(row + 1) * found.k];
    // Hubs are neighbours of very many; enough of them are found from the other side.
    let span = reverse.starts[row] as usize..reverse.starts[row + 1] as usize;
    let back = &reverse.rows[span];
    let step = (back.len() / found.k.max(1)).max(1);
    out.extend(list(row));
    out.extend(back.iter().step_by(step));
    for at in 0..out.len() {
        out.extend_from_slice(list(out[at] as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_linalg::random::Stream;

    fn cloud(nodes: usize, cols: usize) -> Tall<f32> {
        Tall::from_rows(nodes, cols, |row, out: &mut [f32]| {
            let mut stream = Stream::keyed(5, 1, row as u64);
            // Thirty centroids with noise, as embeddings have.
            let mut centroid = Stream::keyed(5, 2, stream.below(30) as u64);
            out.iter_mut().for_each(|x| *x = (centroid.unit() + 0.4 * stream.unit()) as f32);
        })
    }

    #[test]
    fn the_forest_finds_nearly_all() {
        let rows = cloud(4000, 24);
        let (exact, quick) = (nearest(&rows, 10, 5000, 0), nearest(&rows, 10, 100, 0));
        let hits = exact
            .rows
            .chunks_exact(10)
            .zip(quick.rows.chunks_exact(10))
            .map(|(all, some)| some.iter().filter(|row| all.contains(row)).count())
            .sum::<usize>();
        assert!(hits > 36_000, "{hits} of 40000");
    }

    #[test]
    fn few_rows_have_few_neighbours() {
        assert_eq!(nearest(&cloud(3, 4), 15, 10, 0).k, 2);
        // Equal rows are neighbours of one another, at distance zero.
        let same = Tall::from_rows(50, 3, |_, out: &mut [f32]| out.fill(1.0));
        assert!(nearest(&same, 5, 10, 0).squares.iter().all(|&square| square == 0.0));
    }
}
