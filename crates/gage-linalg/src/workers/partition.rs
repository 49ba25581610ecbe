//! Which worker owns which rows.

use std::ops::Range;

use super::reducer::Reducer;

/// Contiguous ranges of positions, one for each worker, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The first position of every worker, and the number of all.
    starts: Vec<usize>,
    rank: usize,
}

impl Partition {
    /// One worker owns everything.
    pub fn whole(count: usize) -> Partition {
        Partition { starts: vec![0, count], rank: 0 }
    }

    /// Ranges of about equal length.
    pub fn even(count: usize, reducer: &dyn Reducer) -> Partition {
        let size = reducer.size();
        let starts = (0..=size).map(|at| (at as u128 * count as u128 / size as u128) as usize);
        Partition { starts: starts.collect(), rank: reducer.rank() }
    }

    /// Every worker says how many positions it owns.
    pub fn gathered(count: usize, reducer: &dyn Reducer) -> Partition {
        let mut starts = vec![0];
        for count in reducer.gather_u64(&[count as u64]) {
            starts.push(starts[starts.len() - 1] + count as usize);
        }
        Partition { starts, rank: reducer.rank() }
    }

    /// The positions of this worker.
    pub fn own(&self) -> Range<usize> {
        self.of(self.rank)
    }

    /// The positions of a worker.
    pub fn of(&self, rank: usize) -> Range<usize> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many positions there are over all workers.
    pub fn all(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }
}
