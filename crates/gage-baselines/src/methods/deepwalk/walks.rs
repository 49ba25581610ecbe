//! Random walks that are made again whenever they are needed, instead of being stored.

use gage_embed::SparseMatrix;
use gage_linalg::random::{Stream, mix};

/// All walks of a run. Walk `i` of a pass depends on seed, pass and `i` only.
pub(crate) struct Walks {
    ends: Vec<usize>,
    neighbours: Vec<u32>,
    starts: Vec<u32>,
    passes: usize,
    length: usize,
    seed: u64,
}

impl Walks {
    /// Walks over the links without direction, weight, repetition and self-loops.
    pub(crate) fn new(links: &SparseMatrix, passes: usize, length: usize, seed: u64) -> Walks {
        let transposed = links.transposed();
        let (mut ends, mut neighbours, mut starts) = (vec![0], Vec::new(), Vec::new());
        for node in 0..links.rows() {
            let known = |entry: &(u32, f64)| entry.1 != 0.0 && entry.0 as usize != node;
            let both = links.row(node).chain(transposed.row(node)).filter(known);
            let mut own: Vec<u32> = both.map(|entry| entry.0).collect();
            own.sort_unstable();
            own.dedup();
            if !own.is_empty() {
                starts.push(node as u32);
            }
            neighbours.extend(own);
            ends.push(neighbours.len());
        }
        Walks { ends, neighbours, starts, passes, length, seed }
    }

    /// Nodes with links.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    pub(crate) fn nodes(&self) -> usize {
        self.ends.len() - 1
    }

    pub(crate) fn passes(&self) -> usize {
        self.passes
    }

    /// The order in which a pass starts at the nodes.
    pub(crate) fn order(&self, pass: usize) -> Vec<u32> {
        let mut order = self.starts.clone();
        Stream::new(self.seed ^ mix(0x0b5e + pass as u64)).shuffle(&mut order);
        order
    }

    /// The walk from `start` in a pass, into `walk`.
    pub(crate) fn walk(&self, pass: usize, start: u32, walk: &mut Vec<u32>) {
        let mut stream = Stream::new(self.seed ^ mix((pass as u64) << 32 | u64::from(start)));
        walk.clear();
        let mut node = start;
        walk.push(node);
        for _ in 1..self.length {
            // Links have no direction here, so a node that was reached has a neighbour.
            let around = &self.neighbours[self.ends[node as usize]..self.ends[node as usize + 1]];
            node = around[stream.below(around.len())];
            walk.push(node);
        }
    }

    /// How often each node is visited in all walks.
    pub(crate) fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.nodes()];
        let mut walk = Vec::new();
        for pass in 0..self.passes {
            for &start in &self.starts {
                self.walk(pass, start, &mut walk);
                walk.iter().for_each(|&node| counts[node as usize] += 1);
            }
        }
        counts
    }
}
