//! Samples of nodes and links that belong to the ids of nodes: another order of the same nodes has
//! the same sample.

use rayon::prelude::*;

use crate::graph::Nodes;
use gage_linalg::SparseMatrix;
use gage_linalg::random::mix;

/// Draws samples by the keys of nodes.
pub(super) struct Sampler {
    keys: Vec<u64>,
    seed: u64,
}

impl Sampler {
    pub(super) fn new(nodes: &Nodes, seed: u64) -> Sampler {
        let keys = (0..nodes.len()).into_par_iter().map(|node| nodes.key(node)).collect();
        Sampler { keys, seed }
    }

    /// Whether a node belongs to one of so many equally large parts.
    pub(super) fn one_of(&self, parts: u64, node: usize) -> bool {
        mix(self.seed ^ self.keys[node]).is_multiple_of(parts)
    }

    /// All nodes in a random order.
    pub(super) fn order(&self) -> Vec<usize> {
        let keys = self.keys.par_iter().enumerate();
        let mut order: Vec<(u64, usize)> =
            keys.map(|(node, key)| (mix(!self.seed ^ key), node)).collect();
        order.par_sort_unstable();
        order.into_iter().map(|(_, node)| node).collect()
    }

    /// About `most` links in a random order; all of them if they are no more. Cost: one hash for
    /// every link.
    pub(super) fn links(&self, adjacency: &SparseMatrix, most: usize) -> Vec<(usize, usize)> {
        let share = most as f64 / adjacency.nnz().max(1) as f64;
        // A conversion to integers saturates.
        let limit = (share * 2f64.powi(64)) as u64;
        let of_row = |row: usize| {
            let ends = &adjacency.indices()[adjacency.row_range(row)];
            ends.iter().filter_map(move |&end| {
                let hash = mix(self.keys[row] ^ mix(self.seed ^ self.keys[end as usize]));
                (hash <= limit).then_some((hash, row, end as usize))
            })
        };
        let rows = (0..adjacency.rows()).into_par_iter();
        let mut found: Vec<(u64, usize, usize)> = rows.flat_map_iter(of_row).collect();
        found.par_sort_unstable();
        found.into_iter().map(|(_, row, end)| (row, end)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_follow_the_names_and_have_their_size() {
        let (count, turned) = (500u32, |node: u32| (node * 7 + 3) % 500);
        let names = |of: &dyn Fn(u32) -> u32| {
            Nodes::named((0..count).map(|node| format!("n{}", of(node)))).unwrap()
        };
        let (here, there) = (names(&|node| node), names(&turned));
        let mut back = vec![0; count as usize];
        (0..count).for_each(|node| back[turned(node) as usize] = node);
        let links: Vec<(u32, u32, f64)> =
            (0..count).flat_map(|i| (1..9).map(move |k| (i, (i * k + k) % count, 1.0))).collect();
        let moved: Vec<(u32, u32, f64)> =
            links.iter().map(|&(i, j, w)| (back[i as usize], back[j as usize], w)).collect();
        let matrix = |entries: &[(u32, u32, f64)]| {
            SparseMatrix::from_triplets(count as usize, count as usize, entries).unwrap()
        };
        let (links, moved) = (matrix(&links), matrix(&moved));
        let (one, two) = (Sampler::new(&here, 5), Sampler::new(&there, 5));
        let named = |node: usize| turned(node as u32) as usize;
        assert_eq!(one.order(), two.order().into_iter().map(named).collect::<Vec<_>>());
        for most in [0, 300, links.nnz(), usize::MAX] {
            let (a, b) = (one.links(&links, most), two.links(&moved, most));
            assert_eq!(a, b.iter().map(|&(i, j)| (named(i), named(j))).collect::<Vec<_>>());
            let off = a.len().abs_diff(most.min(links.nnz()));
            assert!(off < 60 && (most == 300 || off == 0), "{most}: {}", a.len());
        }
        assert!((0..500).all(|node| one.one_of(5, named(node)) == two.one_of(5, node)));
        assert_ne!(one.order(), Sampler::new(&here, 6).order());
    }
}
