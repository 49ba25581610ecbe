//! Rows of other workers: which a worker needs, and how they travel.

use std::ops::Range;

use bytemuck::Pod;
use rayon::prelude::*;

use super::partition::Partition;
use super::reducer::{Reducer, split};
use crate::tall::{ROW_CHUNK, Real, Tall};

/// The rows that one worker needs of a block which all workers own together.
///
/// Needed positions are kept in ascending order, so a product adds in the order of one process. The
/// plan is made once, with two exchanges; it takes four bytes for each row that is received and for
/// each that is sent.
#[derive(Debug)]
pub struct Halo {
    own: Range<usize>,
    rank: usize,
    touched: Vec<u32>,
    /// Of every worker, the part of `touched` that it owns.
    spans: Vec<Range<usize>>,
    /// Of every worker, the own rows that it needs.
    wanted: Vec<Vec<u32>>,
}

impl Halo {
    /// Agrees with all workers on who sends what. `touched` are the positions this worker needs,
    /// in ascending order, its own ones among them.
    pub fn plan(partition: &Partition, touched: Vec<u32>, reducer: &dyn Reducer) -> Halo {
        let own = partition.own();
        let before = |position: usize| touched.partition_point(|&at| (at as usize) < position);
        let spans: Vec<Range<usize>> = (0..partition.workers())
            .map(|rank| before(partition.of(rank).start)..before(partition.of(rank).end))
            .collect();
        let counts: Vec<[u64; 1]> = spans.iter().map(|span| [span.len() as u64]).collect();
        let counts: Vec<&[u64]> = counts.iter().map(|count| &count[..]).collect();
        reducer.announce("sizes of a halo", partition.all());
        let sizes: Vec<usize> = reducer
            .all_to_all(&counts, &vec![1; spans.len()])
            .into_iter()
            .map(|count| count as usize)
            .collect();
        let lists: Vec<&[u32]> = spans.iter().map(|span| &touched[span.clone()]).collect();
        reducer.announce("rows of a halo", partition.all());
        let mut lists = reducer.all_to_all(&lists, &sizes);
        lists.iter_mut().for_each(|at| *at -= own.start as u32);
        let wanted = split(&mut lists, sizes.into_iter()).into_iter().map(|part| part.to_vec());
        let wanted = wanted.collect();
        Halo { own, rank: reducer.rank(), touched, spans, wanted }
    }

    /// The positions this worker needs, in ascending order.
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// The positions this worker owns.
    pub fn own(&self) -> Range<usize> {
        self.own.clone()
    }

    /// Rows that come from others.
    pub fn received(&self) -> usize {
        self.touched.len() - self.spans[self.rank].len()
    }

    /// Rows that go to others.
    pub fn sent(&self) -> usize {
        self.wanted.iter().enumerate().filter(|(r, _)| *r != self.rank).map(|(_, w)| w.len()).sum()
    }

    /// Bytes the plan takes.
    pub fn bytes(&self) -> usize {
        4 * (self.touched.len() + self.wanted.iter().map(Vec::len).sum::<usize>())
    }

    /// The needed rows of a block, `width` numbers each; `fill` writes an own row.
    pub fn gather<T: Pod + Send>(
        &self,
        width: usize,
        fill: impl Fn(usize, &mut [T]) + Sync,
        out: &mut [T],
        reducer: &dyn Reducer,
    ) {
        if width == 0 {
            return;
        }
        let pack = |rows: &[u32], out: &mut [T]| {
            let chunks = out.par_chunks_mut(ROW_CHUNK * width).zip(rows.par_chunks(ROW_CHUNK));
            chunks.for_each(|(out, rows)| {
                for (out, &row) in out.chunks_exact_mut(width).zip(rows) {
                    fill(row as usize, out);
                }
            });
        };
        let of_others = |(rank, rows): (usize, &Vec<u32>)| {
            let rows = if rank == self.rank { &[][..] } else { rows };
            let mut packed = vec![T::zeroed(); rows.len() * width];
            pack(rows, &mut packed);
            packed
        };
        let send: Vec<Vec<T>> = self.wanted.iter().enumerate().map(of_others).collect();
        let send: Vec<&[T]> = send.iter().map(Vec::as_slice).collect();
        let mut parts = split(out, self.spans.iter().map(|span| span.len() * width));
        pack(&self.wanted[self.rank], parts[self.rank]);
        parts[self.rank] = &mut [];
        reducer.announce("gather of rows", width);
        reducer.exchange_typed(&send, parts);
    }

    /// The needed numbers of a column that all workers own together.
    pub fn gather_column<T: Pod + Send + Sync>(&self, own: &[T], reducer: &dyn Reducer) -> Vec<T> {
        let mut out = vec![T::zeroed(); self.touched.len()];
        self.gather(1, |row, out: &mut [T]| out[0] = own[row], &mut out, reducer);
        out
    }

    /// Sums contributions to the needed rows at their owners, in the order of the workers: the own
    /// rows of the sum.
    pub fn add_back<T: Real>(&self, partial: &Tall<T>, reducer: &dyn Reducer) -> Tall<T> {
        let width = partial.cols();
        let mut out = Tall::zeros_in(partial.workspace(), self.own.len(), width);
        if width == 0 {
            return out;
        }
        self.send_back(partial.data(), width, reducer, |rows, values| {
            for (&row, values) in rows.iter().zip(values.chunks_exact(width)) {
                let sums = out.row_mut(row as usize).iter_mut();
                sums.zip(values).for_each(|(sum, &value)| *sum += value);
            }
        });
        out
    }

    /// For every own position the sum of what all workers have for it.
    pub fn own_totals(&self, partial: &[f64], reducer: &dyn Reducer) -> Vec<f64> {
        let mut own = vec![0.0; self.own.len()];
        self.send_back(partial, 1, reducer, |rows, values| {
            rows.iter().zip(values).for_each(|(&row, value)| own[row as usize] += value);
        });
        own
    }

    /// For every needed position the sum of what all workers have for it.
    pub fn totals(&self, partial: &[f64], reducer: &dyn Reducer) -> Vec<f64> {
        self.gather_column(&self.own_totals(partial, reducer), reducer)
    }

    /// For every own position the number that workers which need it have; zero where none does.
    pub fn own_of(&self, needed: &[f64], reducer: &dyn Reducer) -> Vec<f64> {
        let mut own = vec![0.0; self.own.len()];
        self.send_back(needed, 1, reducer, |rows, values| {
            rows.iter().zip(values).for_each(|(&row, &value)| own[row as usize] = value);
        });
        own
    }

    /// Sends numbers of the needed rows to their owners; `take` receives those of one worker after
    /// the other.
    fn send_back<T: Pod>(
        &self,
        values: &[T],
        width: usize,
        reducer: &dyn Reducer,
        mut take: impl FnMut(&[u32], &[T]),
    ) {
        let part = |span: &Range<usize>| &values[span.start * width..span.end * width];
        let send: Vec<&[T]> = self.spans.iter().map(part).collect();
        let others = |(rank, rows): (usize, &Vec<u32>)| {
            if rank == self.rank { 0 } else { rows.len() * width }
        };
        let sizes: Vec<usize> = self.wanted.iter().enumerate().map(others).collect();
        let mut received = vec![T::zeroed(); sizes.iter().sum()];
        reducer.announce("sum of rows", width);
        reducer.exchange_typed(&send, split(&mut received, sizes.iter().copied()));
        let mut rest = &received[..];
        for (rank, rows) in self.wanted.iter().enumerate() {
            let (values, after) = rest.split_at(sizes[rank]);
            rest = after;
            take(rows, if rank == self.rank { send[rank] } else { values });
        }
    }
}
