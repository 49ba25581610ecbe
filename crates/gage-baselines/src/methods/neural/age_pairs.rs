//! Pairs of nodes that adaptive graph encoding calls similar or dissimilar.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use gage_linalg::Tall;
use gage_linalg::random::{Stream, mix};
use rayon::prelude::*;

use crate::Error;
use crate::task::Task;

const TILE_ROWS: usize = 64;
const TILE_COLS: usize = 512;

/// Cosines are distinguished to this part of the range from -1 to 1.
const BINS: usize = 1 << 16;

/// Rows of length one, and which of their pairs count as similar and as dissimilar.
pub(super) struct Pairs<'a> {
    rows: &'a Tall<f32>,
    /// The pairs of the highest cosines, ordered pairs and pairs of a node with itself included.
    pub(super) similar: Vec<(u32, u32)>,
    /// Pairs up to this bin are dissimilar.
    highest_dissimilar: usize,
}

fn bin(cosine: f32) -> usize {
    let share = 0.5 * (f64::from(cosine).clamp(-1.0, 1.0) + 1.0);
    ((share * BINS as f64) as usize).min(BINS - 1)
}

impl<'a> Pairs<'a> {
    /// The `similar` share of all ordered pairs with the highest cosines, and the `dissimilar`
    /// share with the lowest. Shares are exact; among cosines of the same bin (3e-5 wide) the first
    /// pairs in the order of rows are taken. Two passes over all pairs: `4 n^2 F` flops.
    pub(super) fn select(
        rows: &'a Tall<f32>,
        similar: f64,
        dissimilar: f64,
        task: &Task<'_>,
    ) -> Result<Pairs<'a>, Error> {
        let nodes = rows.rows();
        let total = (nodes as f64).powi(2);
        let histograms = each_row(rows, task, |values: &[f32], _, counts: &mut Vec<u64>| {
            counts.resize(BINS, 0);
            values.iter().for_each(|cosine| counts[bin(*cosine)] += 1);
        });
        task.check()?;
        let mut counts = vec![0u64; BINS];
        for part in histograms {
            counts.iter_mut().zip(part).for_each(|(all, part)| *all += part);
        }
        let wanted = ((similar * total).round() as u64).clamp(1, (nodes * nodes) as u64);
        let (boundary, above) = boundary(counts.iter().enumerate().rev(), wanted);
        let lowest = ((dissimilar * total).round() as u64).max(1);
        let (highest_dissimilar, _) = self::boundary(counts.iter().enumerate(), lowest);
        let room = (wanted - above) as usize;
        let found = each_row(rows, task, |values, row, (clear, at_boundary): &mut Found| {
            for (col, cosine) in values.iter().enumerate() {
                let pair = (row as u32, col as u32);
                match bin(*cosine).cmp(&boundary) {
                    std::cmp::Ordering::Greater => clear.push(pair),
                    std::cmp::Ordering::Equal if at_boundary.len() < room => at_boundary.push(pair),
                    _ => {}
                }
            }
        });
        task.check()?;
        let mut chosen: Vec<(u32, u32)> = found.iter().flat_map(|part| &part.0).copied().collect();
        chosen.extend(found.iter().flat_map(|part| &part.1).take(room));
        Ok(Pairs { rows, similar: chosen, highest_dissimilar })
    }

    /// As many dissimilar pairs, with replacement; pair `k` depends on the key and `k` alone.
    pub(super) fn dissimilar(&self, count: usize, key: u64) -> Vec<(u32, u32)> {
        let nodes = self.rows.rows();
        let draw = |at: usize| {
            let mut random = Stream::new(mix(key).wrapping_add(at as u64));
            let mut pair = (0, 0);
            // More than a tenth of all pairs qualify, unless all rows are alike.
            for _ in 0..256 {
                pair = (random.below(nodes), random.below(nodes));
                let products = self.rows.row(pair.0).iter().zip(self.rows.row(pair.1));
                if bin(products.map(|(a, b)| a * b).sum()) <= self.highest_dissimilar {
                    break;
                }
            }
            (pair.0 as u32, pair.1 as u32)
        };
        (0..count).into_par_iter().map(draw).collect()
    }
}

/// Pairs above the boundary, and pairs of its bin.
type Found = (Vec<(u32, u32)>, Vec<(u32, u32)>);

/// The bin in which the running count reaches a number, and the count before that bin.
fn boundary<'c>(counts: impl Iterator<Item = (usize, &'c u64)>, wanted: u64) -> (usize, u64) {
    let (mut before, mut last) = (0, 0);
    for (bin, &count) in counts {
        last = bin;
        if before + count >= wanted {
            break;
        }
        before += count;
    }
    (last, before)
}

/// Calls `visit` with the cosines of every row with all rows; one accumulator for a run of rows.
/// What was visited when the observer wants to stop is of no use: the caller has to check.
fn each_row<A: Default + Send>(
    rows: &Tall<f32>,
    task: &Task<'_>,
    visit: impl Fn(&[f32], usize, &mut A) + Sync,
) -> Vec<A> {
    let (nodes, width) = (rows.rows(), rows.cols());
    let part = |top: usize, count: usize| {
        let values = &rows.data()[top * width..(top + count) * width];
        MatRef::from_row_major_slice(values, count, width)
    };
    // A run has several tiles of rows, so that histograms are few.
    let run = nodes.div_ceil(32).next_multiple_of(TILE_ROWS).max(TILE_ROWS);
    (0..nodes.div_ceil(run))
        .into_par_iter()
        .map(|at| {
            let mut result = A::default();
            let mut space = vec![0.0f32; TILE_ROWS * nodes];
            let end = nodes.min((at + 1) * run);
            for top in (at * run..end).step_by(TILE_ROWS).take_while(|_| !task.cancelled()) {
                let count = TILE_ROWS.min(end - top);
                let tile = &mut space[..count * nodes];
                let mut products = MatMut::from_row_major_slice_mut(&mut *tile, count, nodes);
                for left in (0..nodes).step_by(TILE_COLS) {
                    let cols = TILE_COLS.min(nodes - left);
                    let target = products.as_mut().subcols_mut(left, cols);
                    let others = part(left, cols).transpose();
                    matmul(target, Accum::Replace, part(top, count), others, 1.0, Par::Seq);
                }
                for (row, values) in tile.chunks_exact(nodes).enumerate() {
                    visit(values, top + row, &mut result);
                }
            }
            result
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use gage_embed::{Graph, NoObserver, Nodes};
    use gage_linalg::random::fill_normal;

    use super::*;

    #[test]
    fn the_chosen_pairs_have_the_highest_cosines_and_the_drawn_ones_low_ones() {
        let mut rows = Tall::<f32>::from_rows(150, 6, |row, out| fill_normal(4, row as u64, out));
        rows.par_update_rows(|_, row| {
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            row.iter_mut().for_each(|x| *x /= length);
        });
        let cosine = |(i, j): (u32, u32)| -> f32 {
            rows.row(i as usize).iter().zip(rows.row(j as usize)).map(|(a, b)| a * b).sum()
        };
        let graph = Graph::new(Nodes::numbered(150));
        let task = Task::new("age", &graph, 6, 0, &NoObserver).unwrap();
        let pairs = Pairs::select(&rows, 0.05, 0.6, &task).unwrap();
        assert_eq!(pairs.similar.len(), 1125);
        let mut all: Vec<f32> =
            (0..150).flat_map(|i| (0..150).map(move |j| (i, j))).map(cosine).collect();
        all.sort_by(f32::total_cmp);
        let least = all[all.len() - 1125] - 4e-5;
        assert!(pairs.similar.iter().all(|pair| cosine(*pair) >= least));
        let mut distinct = pairs.similar.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 1125);
        let drawn = pairs.dissimilar(500, 9);
        let most = all[13_500] + 4e-5;
        assert!(drawn.iter().all(|pair| cosine(*pair) <= most));
        assert!(drawn == pairs.dissimilar(500, 9) && drawn != pairs.dissimilar(500, 10));
    }
}
