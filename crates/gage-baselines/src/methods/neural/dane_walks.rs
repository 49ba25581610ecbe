//! Who is met within some steps of random walks: the structure that deep attributed network
//! embedding reads.

use gage_linalg::{SparseMatrix, Values};

use crate::Error;
use crate::memory;
use crate::methods::deepwalk::Walks;

/// Walks from every node, their length, and the steps within which nodes count as met.
const WALKS: (usize, usize, usize) = (10, 80, 10);

/// Bytes of the list of all meetings at its peak, when the rows are gathered: at most all nodes for
/// each, or both ends of all steps of all walks.
pub(super) fn memory_bytes(nodes: u64) -> u64 {
    let (count, length, window) = WALKS;
    let met = nodes.min((2 * count * length * window) as u64);
    // A list grows to twice its length at most before it is copied into the matrix.
    memory::product(&[3 * 4, nodes, met])
}

/// One for nodes that stand within ten steps of each other on any walk, both ways, without loops.
pub(super) fn met_on_walks(links: &SparseMatrix, seed: u64) -> Result<SparseMatrix, Error> {
    let (count, length, window) = WALKS;
    let walks = Walks::new(links, count, length, seed);
    let mut met: Vec<Vec<u32>> = vec![Vec::new(); links.rows()];
    let mut walk = Vec::new();
    for pass in 0..count {
        for &start in walks.starts() {
            walks.walk(pass, start, &mut walk);
            for (at, &node) in walk.iter().enumerate() {
                let near = &walk[at + 1..walk.len().min(at + 1 + window)];
                for &other in near.iter().filter(|other| **other != node) {
                    met[node as usize].push(other);
                    met[other as usize].push(node);
                }
            }
        }
        for own in &mut met {
            own.sort_unstable();
            own.dedup();
        }
    }
    let (mut pointers, mut indices) = (vec![0u64], Vec::new());
    for own in met {
        indices.extend(own);
        pointers.push(indices.len() as u64);
    }
    Ok(SparseMatrix::new(links.rows(), links.rows(), pointers, indices, Values::Ones)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_within_ten_steps_of_a_path_meet_and_no_others() {
        let nodes = 40u32;
        let links: Vec<_> = (1..nodes).flat_map(|i| [(i - 1, i, 1.0), (i, i - 1, 1.0)]).collect();
        let links = SparseMatrix::from_triplets(41, 41, &links).unwrap();
        let met = met_on_walks(&links, 1).unwrap();
        for i in 0..41 {
            for (j, value) in met.row(i) {
                assert_eq!(value, 1.0);
                assert!(i.abs_diff(j as usize) <= 10 && i != j as usize, "{i} {j}");
                assert!(met.row(j as usize).any(|(back, _)| back as usize == i), "{i} {j}");
            }
        }
        // Ten walks of eighty steps take every link, and nobody meets a node without links.
        assert!((1..40).all(|i| met.row(i).any(|(j, _)| j as usize == i - 1)));
        assert_eq!(met.row(40).count(), 0);
    }
}
