//! Random trees that put near rows into common leaves.

use gage_linalg::Tall;
use rayon::prelude::*;

use gage_linalg::random::Stream;

/// Trees of the forest.
const TREES: usize = 6;
/// Rows of a leaf, at most.
const LEAF: usize = 48;

/// One tree: rows in the order of its leaves, and where the leaf of each row begins and ends.
pub(super) struct Leaves {
    order: Vec<u32>,
    /// For every row, the first position of its leaf and the one after its last.
    leaf: Vec<(u32, u32)>,
}

/// Grows the forest.
pub(super) fn grow(rows: &Tall<f32>, seed: u64) -> Vec<Leaves> {
    (0..TREES as u64).into_par_iter().map(|tree| grow_tree(rows, seed, tree)).collect()
}

/// Adds the rows that share a leaf with `row` in some tree.
pub(super) fn leaf_members(forest: &[Leaves], row: usize, out: &mut Vec<u32>) {
    for tree in forest {
        let (first, end) = tree.leaf[row];
        out.extend_from_slice(&tree.order[first as usize..end as usize]);
    }
}

fn grow_tree(rows: &Tall<f32>, seed: u64, tree: u64) -> Leaves {
    let mut order: Vec<u32> = (0..rows.rows() as u32).collect();
    let mut ends = Vec::new();
    split(rows, &mut order, Stream::keyed(seed, 0xf0, tree).next_u64(), 1, &mut ends);
    let mut leaf = vec![(0, 0); order.len()];
    let mut first = 0;
    for end in ends {
        for &row in &order[first as usize..end as usize] {
            leaf[row as usize] = (first, end);
        }
        first = end;
    }
    Leaves { order, leaf }
}

/// Splits rows at the median of a direction between two of them, until few are left; notes where
/// leaves end.
fn split(rows: &Tall<f32>, order: &mut [u32], seed: u64, path: u64, ends: &mut Vec<u32>) {
    if order.len() <= LEAF {
        let begin = ends.last().copied().unwrap_or(0);
        ends.push(begin + order.len() as u32);
        return;
    }
    let mut stream = Stream::keyed(seed, 0xf1, path);
    let (a, b) = (stream.below(order.len()), stream.below(order.len()));
    let (left, right) = (rows.row(order[a] as usize), rows.row(order[b] as usize));
    let direction: Vec<f32> = left.iter().zip(right).map(|(x, y)| x - y).collect();
    let mut keyed: Vec<(f32, u32)> = order
        .par_iter()
        .with_min_len(512)
        .map(|&row| {
            let values = rows.row(row as usize).iter();
            (values.zip(&direction).map(|(x, d)| x * d).sum::<f32>(), row)
        })
        .collect();
    let middle = keyed.len() / 2;
    keyed.select_nth_unstable_by(middle, |x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    // The order within the halves is up to the selection; sorted, it no longer matters how that
    // works.
    keyed[..middle].sort_unstable_by_key(|entry| entry.1);
    keyed[middle..].sort_unstable_by_key(|entry| entry.1);
    order.iter_mut().zip(&keyed).for_each(|(row, entry)| *row = entry.1);
    drop(keyed);
    let (low, high) = order.split_at_mut(middle);
    split(rows, low, seed, 2 * path, ends);
    split(rows, high, seed, 2 * path + 1, ends);
}
