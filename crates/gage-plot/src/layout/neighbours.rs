//! Nearest rows: exact for few, by a forest and neighbours of neighbours for many.

use gage_linalg::Tall;
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

/// Squared distance. Sixteen running sums, so that the compiler can use vector registers.
#[inline]
fn squared_distance(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 16];
    let (left, right) = (a.chunks_exact(16), b.chunks_exact(16));
    let tail: f32 =
        left.remainder().iter().zip(right.remainder()).map(|(x, y)| (x - y) * (x - y)).sum();
    for (x, y) in left.zip(right) {
        for lane in 0..16 {
            let difference = x[lane] - y[lane];
            sums[lane] += difference * difference;
        }
    }
    sums.iter().sum::<f32>() + tail
}

/// The best few of many candidates, in order.
struct Best {
    most: usize,
    list: Vec<(f32, u32)>,
}

impl Best {
    fn new(most: usize) -> Best {
        Best { most, list: Vec::with_capacity(most + 1) }
    }

    #[inline]
    fn offer(&mut self, square: f32, row: u32) {
        if self.list.len() == self.most
            && self.list.last().is_some_and(|&(worst, at)| (square, row) >= (worst, at))
        {
            return;
        }
        let place = self.list.partition_point(|&entry| entry < (square, row));
        self.list.insert(place, (square, row));
        self.list.truncate(self.most);
    }
}

/// Finds neighbours of all rows. With more than `exact` rows, a few of them may be missed.
pub fn nearest(rows: &Tall<f32>, k: usize, exact: usize, seed: u64) -> Neighbours {
    let k = k.min(rows.rows().saturating_sub(1));
    if rows.rows() <= exact {
        return exactly(rows, k);
    }
    let leaves = forest::grow(rows, seed);
    let mut found = improve(rows, k, |row, out| forest::mates(&leaves, row, out));
    drop(leaves);
    // Two rounds bring the recall from about a half to nearly all; a third changes little.
    for _ in 0..2 {
        let reverse = reversed(&found);
        found = improve(rows, k, |row, out| around(&found, &reverse, row, out));
    }
    found
}

/// Rows handled together, so that what is read for one serves the others.
const BLOCK: usize = 8;

fn exactly(rows: &Tall<f32>, k: usize) -> Neighbours {
    let blocks: Vec<u32> = (0..rows.rows() as u32).step_by(BLOCK).collect();
    let lists: Vec<Vec<Best>> = blocks
        .par_iter()
        .map(|&first| {
            let block = first as usize..(first as usize + BLOCK).min(rows.rows());
            let mut best: Vec<Best> = block.clone().map(|_| Best::new(k)).collect();
            for other in 0..rows.rows() {
                let values = rows.row(other);
                for (row, best) in block.clone().zip(&mut best) {
                    if row != other {
                        best.offer(squared_distance(rows.row(row), values), other as u32);
                    }
                }
            }
            best
        })
        .collect();
    collect(k, lists.into_iter().flatten())
}

fn collect(k: usize, lists: impl Iterator<Item = Best>) -> Neighbours {
    let mut found = Neighbours { k, rows: Vec::new(), squares: Vec::new() };
    for best in lists {
        found.rows.extend(best.list.iter().map(|entry| entry.1));
        found.squares.extend(best.list.iter().map(|entry| entry.0));
    }
    found
}

/// The best of the candidates of every row; there are always at least `k` of them.
fn improve(
    rows: &Tall<f32>,
    k: usize,
    candidates: impl Fn(usize, &mut Vec<u32>) + Sync,
) -> Neighbours {
    let lists: Vec<Best> = (0..rows.rows())
        .into_par_iter()
        .with_min_len(64)
        .map_init(Vec::new, |list, row| {
            list.clear();
            candidates(row, list);
            list.sort_unstable();
            list.dedup();
            let values = rows.row(row);
            let mut best = Best::new(k);
            for &other in list.iter().filter(|&&other| other as usize != row) {
                best.offer(squared_distance(values, rows.row(other as usize)), other);
            }
            best
        })
        .collect();
    collect(k, lists.into_iter())
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
fn around(found: &Neighbours, reverse: &Reversed, row: usize, out: &mut Vec<u32>) {
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
    use crate::random::Stream;

    fn cloud(nodes: usize, cols: usize) -> Tall<f32> {
        Tall::from_rows(nodes, cols, |row, out: &mut [f32]| {
            let mut stream = Stream::new(5, 1, row as u64);
            // Thirty centres with noise, as embeddings have.
            let mut centre = Stream::new(5, 2, stream.below(30) as u64);
            out.iter_mut().for_each(|x| *x = (centre.unit() + 0.4 * stream.unit()) as f32);
        })
    }

    #[test]
    fn exact_neighbours_are_those_of_a_plain_search() {
        let rows = cloud(70, 19);
        let found = nearest(&rows, 4, 100, 0);
        for row in 0..70 {
            let mut all: Vec<(f32, u32)> = (0..70)
                .filter(|&other| other != row)
                .map(|other| (squared_distance(rows.row(row), rows.row(other)), other as u32))
                .collect();
            all.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let best: Vec<u32> = all[..4].iter().map(|entry| entry.1).collect();
            assert_eq!(found.rows[row * 4..row * 4 + 4], best[..]);
        }
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
