//! Chooses the number of lists to read and measures recall, by comparison with exact neighbours.

use rayon::prelude::*;

use gage_linalg::Tall;
use gage_linalg::kernel::{TopK, exact_neighbours};
use gage_linalg::random::Stream;

use crate::file::Recall;
use crate::lists::{nearest_lists, scan_list};

/// Numbers of neighbours the index is tuned for. More than the last are found by reading all lists.
const TIERS: [usize; 2] = [10, 100];

/// Nodes looked at to choose the number of lists, and as many others to measure what is found.
const NODES: usize = 200;

/// Rows in the order of their lists.
pub(crate) struct Lists {
    pub(crate) columns: usize,
    pub(crate) centroids: Tall<f32>,
    /// where each list ends
    pub(crate) ends: Vec<u32>,
    pub(crate) rows: Tall<f32>,
    /// node of each row
    pub(crate) members: Vec<u32>,
}

impl Lists {
    fn row(&self, position: u32) -> &[f32] {
        self.rows.row(position as usize)
    }

    fn list_of(&self, position: u32) -> u32 {
        self.ends.partition_point(|&end| end <= position) as u32
    }

    fn range(&self, list: usize) -> std::ops::Range<usize> {
        let start = if list == 0 { 0 } else { self.ends[list - 1] };
        start as usize..self.ends[list] as usize
    }

    /// Nodes found by reading `probes` lists.
    fn search(&self, position: u32, wanted: usize, probes: usize) -> Vec<u32> {
        let (query, own) = (self.row(position), self.members[position as usize]);
        let mut nearest = TopK::new(wanted);
        for (_, list) in nearest_lists(self.centroids.data(), query, probes) {
            let range = self.range(list as usize);
            let rows = &self.rows.data()[range.start * self.columns..range.end * self.columns];
            scan_list(rows, &self.members[range], query, own, &mut nearest);
        }
        nearest.into_sorted().into_iter().map(|(_, node)| node).collect()
    }

    /// The true neighbours of the rows at some positions, nearest first. Equally near ones are
    /// distinguished apart by their node, as a search does.
    fn exact(&self, positions: &[u32], wanted: usize) -> Vec<Vec<u32>> {
        let found = exact_neighbours(&self.rows, positions, wanted, |row| self.members[row]);
        found.into_iter().map(|list| list.into_iter().map(|(_, node)| node).collect()).collect()
    }

    /// Chooses, given the position of each node, the number of lists for each tier so that `target`
    /// is reached, with two standard errors to spare, and measures what is found on other nodes.
    pub(crate) fn tuned(&self, positions: &[u32], target: f64, seed: u64) -> Vec<Recall> {
        let mut order: Vec<u32> = (0..self.members.len() as u32).collect();
        let count = order.len().min(2 * NODES);
        Stream::new(seed ^ 0x7475_6e65).sample_to_front(&mut order, count);
        // With fewer rows than that, the same nodes serve twice: reading all lists is then no
        // trouble either.
        let (choose, measure) = if order.len() >= 2 * NODES {
            (&order[..NODES], &order[NODES..2 * NODES])
        } else {
            (&order[..count], &order[..count])
        };
        let most = TIERS[TIERS.len() - 1];
        let ranks = self.ranks(choose, &self.exact(choose, most), positions);
        let truth = self.exact(measure, most);
        let mut least = 1;
        TIERS
            .into_iter()
            .map(|neighbours| {
                least = probes(&ranks, neighbours, target, self.ends.len()).max(least);
                let recall = self.recall(measure, &truth, neighbours, least);
                Recall { neighbours, lists: least, recall, nodes: measure.len() }
            })
            .collect()
    }

    /// For each node, how many lists must be read until each of its true neighbours is among them.
    fn ranks(&self, nodes: &[u32], truth: &[Vec<u32>], positions: &[u32]) -> Vec<Vec<usize>> {
        let lists = self.ends.len();
        let rank = |(&position, truth): (&u32, &Vec<u32>)| -> Vec<usize> {
            let mut ranks = vec![lists; lists];
            for (rank, (_, list)) in nearest_lists(self.centroids.data(), self.row(position), lists)
                .into_iter()
                .enumerate()
            {
                ranks[list as usize] = rank + 1;
            }
            truth
                .iter()
                .map(|node| ranks[self.list_of(positions[*node as usize]) as usize])
                .collect()
        };
        nodes.par_iter().zip(truth).map(rank).collect()
    }

    fn recall(&self, nodes: &[u32], truth: &[Vec<u32>], neighbours: usize, probes: usize) -> f64 {
        let shares: Vec<f64> = nodes
            .par_iter()
            .zip(truth)
            .map(|(&position, truth)| {
                let truth = &truth[..neighbours.min(truth.len())];
                let found = self.search(position, neighbours, probes);
                let hits = truth.iter().filter(|node| found.contains(node)).count();
                hits as f64 / truth.len().max(1) as f64
            })
            .collect();
        // A node that is alone has no neighbours to miss.
        if self.members.len() < 2 { 1.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
    }
}

/// The least number of lists at which the mean recall reaches the target with two standard errors
/// to spare, or all.
fn probes(ranks: &[Vec<usize>], neighbours: usize, target: f64, lists: usize) -> usize {
    let enough = |probes: usize| {
        let share = |ranks: &Vec<usize>| {
            let of = neighbours.min(ranks.len()).max(1);
            ranks.iter().take(of).filter(|&&rank| rank <= probes).count() as f64 / of as f64
        };
        let shares: Vec<f64> = ranks.iter().map(share).collect();
        let count = shares.len().max(1) as f64;
        let mean = shares.iter().sum::<f64>() / count;
        let variance = shares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / count;
        mean - 2.0 * (variance / count).sqrt() >= target
    };
    // The margin makes this not quite monotone, so the first number that does is taken, not one
    // found by halving.
    (1..lists).find(|&probes| enough(probes)).unwrap_or(lists)
}
