//! What a data set in shards consists of.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// What the parts of a data set in shards have in common, and what each of them is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Name and version of the format.
    pub format: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Whether they have names.
    pub named: bool,
    /// The blocks, in their order.
    pub blocks: Vec<BlockEntry>,
    /// The parts, in the order of their nodes.
    pub parts: Vec<PartEntry>,
}

/// A block of the data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockEntry {
    /// Its name.
    pub name: String,
    /// Whether its columns are nodes.
    pub links: bool,
    /// Whether links have a direction.
    pub directed: bool,
    /// Whether the matrix equals its transpose.
    pub symmetric: bool,
    /// Number of columns.
    pub columns: usize,
    /// Stored numbers.
    pub entries: u64,
    /// Whether all numbers are stored.
    pub dense: bool,
    /// Sum of the squares of the numbers of entries of the rows; zero for dense rows.
    pub row_squares: f64,
    /// The same of the columns.
    pub column_squares: f64,
    /// How many columns have how many entries: `[entries, columns]`, ascending. From 64 entries on
    /// by powers of two, with the mean of each range.
    pub column_entries: Vec<[f64; 2]>,
}

/// A part of the data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartEntry {
    /// Position of its first node.
    pub first: usize,
    /// Its nodes.
    pub nodes: usize,
    /// Stored numbers of each block.
    pub entries: Vec<u64>,
    /// Of each block, the columns that its rows name.
    pub touched: Vec<u64>,
    /// Of each block of links, the nodes of other parts that its rows name; zero for attributes.
    pub foreign: Vec<u64>,
    /// Bytes of all its files.
    pub bytes: u64,
    /// A hash of each of its files.
    pub hashes: Vec<String>,
}

/// The format that this version writes and reads.
pub(crate) const FORMAT: &str = "gage shards 1";

impl Manifest {
    /// The parts of each of so many readers: contiguous runs with about equally many entries plus
    /// rows, at least one part each. `None` if there are more readers than parts.
    pub fn runs(&self, readers: usize) -> Option<Vec<Range<usize>>> {
        let parts = self.parts.len();
        if readers == 0 || readers > parts {
            return None;
        }
        let work = |part: &PartEntry| (part.nodes as u64 + part.entries.iter().sum::<u64>()) as f64;
        let total: f64 = self.parts.iter().map(work).sum();
        let (mut first, mut done) = (0, 0.0);
        let mut runs = Vec::with_capacity(readers);
        for reader in 0..readers {
            let goal = total * (reader + 1) as f64 / readers as f64;
            // Those that follow need a part each, too.
            let most = parts - (readers - reader - 1);
            let mut end = first + 1;
            done += work(&self.parts[first]);
            while end < most && done + 0.5 * work(&self.parts[end]) <= goal {
                done += work(&self.parts[end]);
                end += 1;
            }
            runs.push(first..if reader + 1 == readers { parts } else { end });
            first = end;
        }
        Some(runs)
    }

    /// The nodes of some parts.
    pub fn nodes_of(&self, parts: &Range<usize>) -> Range<usize> {
        let start = |part: usize| self.parts.get(part).map_or(self.nodes, |part| part.first);
        start(parts.start)..start(parts.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(entries: &[u64]) -> Manifest {
        let part = |(at, &entries): (usize, &u64)| PartEntry {
            first: 10 * at,
            nodes: 10,
            entries: vec![entries],
            touched: vec![0],
            foreign: vec![0],
            bytes: 0,
            hashes: Vec::new(),
        };
        Manifest {
            format: FORMAT.to_owned(),
            nodes: 10 * entries.len(),
            named: false,
            blocks: Vec::new(),
            parts: entries.iter().enumerate().map(part).collect(),
        }
    }

    #[test]
    fn runs_are_contiguous_and_balanced_and_none_is_empty() {
        assert_eq!(manifest(&[1, 1, 1, 1]).runs(2), Some(vec![0..2, 2..4]));
        assert_eq!(manifest(&[1000, 1, 1, 1]).runs(2), Some(vec![0..1, 1..4]));
        assert_eq!(manifest(&[1, 1, 1, 1000]).runs(3), Some(vec![0..2, 2..3, 3..4]));
        assert_eq!(manifest(&[1, 1, 1000, 0]).runs(4), Some(vec![0..1, 1..2, 2..3, 3..4]));
        assert_eq!(manifest(&[1, 1]).runs(3), None);
        assert_eq!(manifest(&[5, 5, 5]).nodes_of(&(1..3)), 10..30);
    }
}
