//! Huffman codes: frequent nodes get short ones.

/// For every node the inner nodes of the tree on its way from the root, and which branch is taken
/// there.
pub(crate) struct Huffman {
    ends: Vec<usize>,
    steps: Vec<(u32, bool)>,
}

impl Huffman {
    /// The tree over the nodes with a positive count. Inner nodes are numbered from 0; there is one
    /// fewer than leaves.
    pub(crate) fn new(counts: &[u64]) -> Huffman {
        let mut leaves: Vec<u32> =
            (0..counts.len() as u32).filter(|&i| counts[i as usize] > 0).collect();
        leaves.sort_by_key(|&leaf| (counts[leaf as usize], leaf));
        let n = leaves.len();
        // Leaves rise in count and inner nodes are made in rising order: the two smallest stand at
        // two fronts.
        let mut weight: Vec<u64> = leaves.iter().map(|&leaf| counts[leaf as usize]).collect();
        let mut parent = vec![(0usize, false); (2 * n).saturating_sub(1)];
        let (mut leaf, mut inner) = (0, n);
        for made in n..(2 * n).saturating_sub(1) {
            let mut sum = 0;
            for branch in [false, true] {
                let from_leaves = leaf < n && (inner >= made || weight[leaf] <= weight[inner]);
                let taken = if from_leaves { &mut leaf } else { &mut inner };
                sum += weight[*taken];
                parent[*taken] = (made, branch);
                *taken += 1;
            }
            weight.push(sum);
        }
        let mut paths = vec![Vec::new(); counts.len()];
        for (at, &node) in leaves.iter().enumerate() {
            let mut place = at;
            while place + 1 < parent.len() {
                let (above, branch) = parent[place];
                paths[node as usize].push(((above - n) as u32, branch));
                place = above;
            }
        }
        let mut ends = vec![0];
        let mut steps = Vec::new();
        for path in paths {
            steps.extend(path);
            ends.push(steps.len());
        }
        Huffman { ends, steps }
    }

    /// Inner nodes and branches of one node.
    pub(crate) fn path(&self, node: u32) -> &[(u32, bool)] {
        &self.steps[self.ends[node as usize]..self.ends[node as usize + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_as_short_as_can_be() {
        let counts = [5, 9, 0, 12, 13, 16, 45];
        let tree = Huffman::new(&counts);
        let lengths: Vec<usize> = (0..7).map(|node| tree.path(node).len()).collect();
        assert_eq!(lengths, [4, 4, 0, 3, 3, 3, 1]);
        // Complete and free of prefixes: the shares of the codes fill the tree.
        let filled: f64 =
            [0, 1, 3, 4, 5, 6].iter().map(|&node| 0.5f64.powi(lengths[node] as i32)).sum();
        assert!((filled - 1.0).abs() < 1e-12);
        assert!(tree.steps.iter().all(|step| step.0 < 5));
        assert!(Huffman::new(&[0, 3]).path(1).is_empty());
    }
}
