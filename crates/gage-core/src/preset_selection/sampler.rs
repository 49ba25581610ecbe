//! Samples of nodes that belong to their ids: another order of the same nodes has the same sample.

use rayon::prelude::*;

use crate::graph::Nodes;
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

    /// One number per node that belongs to its id.
    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// All nodes in a random order.
    pub(super) fn order(&self) -> Vec<usize> {
        let keys = self.keys.par_iter().enumerate();
        let mut order: Vec<(u64, usize)> =
            keys.map(|(node, key)| (mix(!self.seed ^ key), node)).collect();
        order.par_sort_unstable();
        order.into_iter().map(|(_, node)| node).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_follow_the_names() {
        let (count, turned) = (500u32, |node: u32| (node * 7 + 3) % 500);
        let names = |of: &dyn Fn(u32) -> u32| {
            Nodes::named((0..count).map(|node| format!("n{}", of(node)))).unwrap()
        };
        let (here, there) = (names(&|node| node), names(&turned));
        let (one, two) = (Sampler::new(&here, 5), Sampler::new(&there, 5));
        let named = |node: usize| turned(node as u32) as usize;
        assert_eq!(one.order(), two.order().into_iter().map(named).collect::<Vec<_>>());
        assert!((0..500).all(|node| one.keys()[named(node)] == two.keys()[node]));
        assert_ne!(one.order(), Sampler::new(&here, 6).order());
    }
}
