//! Sums over the rows of tall matrices in a fixed order.

use std::ops::Range;

use rayon::prelude::*;

/// Rows handled as one unit of work.
pub const ROW_CHUNK: usize = 256;

/// Partial sums at most, whatever the number of threads.
const MAX_PARTIAL_SUMS: usize = 32;

/// Partial sums together take at most about this many numbers, but there are always a few.
const PARTIAL_NUMBERS: usize = 1 << 22;

/// Chunks per partial sum at least: with fewer, creating and adding partial sums costs more than it
/// gains.
const RUN_CHUNKS: usize = 3;

/// Sums contributions of all row ranges in a fixed order: the same bits at any number of threads.
///
/// `add` receives a range of at most `ROW_CHUNK` rows and the partial sum (of about `size` numbers)
/// to add to.
pub fn sum_over_rows<A: Send>(
    rows: usize,
    size: usize,
    zero: impl Fn() -> A + Sync,
    add: impl Fn(Range<usize>, &mut A) + Sync,
    merge: impl FnMut(&mut A, A),
) -> A {
    let run = |chunks: RowChunks| {
        let mut sum = zero();
        chunks.for_each(|range| add(range, &mut sum));
        sum
    };
    sum_over_runs(rows, size, run, merge)
}

/// As [`sum_over_rows`], but `run` computes the partial sum of several chunks, with scratch of its
/// own.
///
/// The split into runs depends on sizes only, never on threads; the partial sums are added in
/// order.
pub fn sum_over_runs<A: Send>(
    rows: usize,
    size: usize,
    run: impl Fn(RowChunks) -> A + Sync,
    mut merge: impl FnMut(&mut A, A),
) -> A {
    let chunks = rows.div_ceil(ROW_CHUNK);
    let most = (PARTIAL_NUMBERS / size.max(1)).clamp(4, MAX_PARTIAL_SUMS);
    let per_run = chunks.div_ceil(most).max(RUN_CHUNKS);
    let partial: Vec<A> = (0..chunks.div_ceil(per_run))
        .into_par_iter()
        .map(|at| {
            let first = at * per_run * ROW_CHUNK;
            run(RowChunks { first, end: (first + per_run * ROW_CHUNK).min(rows) })
        })
        .collect();
    let sum = partial.into_iter().reduce(|mut left, right| {
        merge(&mut left, right);
        left
    });
    sum.unwrap_or_else(|| run(RowChunks { first: 0, end: 0 }))
}

/// Ranges of at most [`ROW_CHUNK`] rows, one after the other.
pub struct RowChunks {
    first: usize,
    end: usize,
}

impl Iterator for RowChunks {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let range = self.first..(self.first + ROW_CHUNK).min(self.end);
        self.first = range.end;
        (!range.is_empty()).then_some(range)
    }
}
