//! The one place where workers meet.

/// Values up to which every worker sends all of them to all others, because messages cost more than
/// bytes.
const DIRECT: usize = 256;

/// Workers that each hold a contiguous range of rows.
///
/// The solver is written once against this trait. [`LocalReducer`] implements it for one process,
/// where nothing is exchanged. Everything else (sums, maxima, rows of others) is made of `exchange`
/// in a fixed order, so all workers see the same bits.
pub trait Reducer: Send + Sync {
    /// The number of this worker, from 0.
    fn rank(&self) -> usize;
    /// How many workers there are.
    fn size(&self) -> usize;
    /// Sends one message to every worker and receives one from each; every worker calls it at the
    /// same time. The receiver knows the sizes. The message to oneself is empty.
    fn exchange(&self, send: &[&[u8]], receive: &mut [&mut [u8]]);
    /// Ends the work of all workers, because this one cannot go on.
    fn abort(&self, reason: &str) -> !;
    /// Announces the next exchange: its kind, and a size that all workers must agree on. Checked
    /// where checks are cheap; a worker out of step is a broken contract.
    fn announce(&self, _kind: &'static str, _size: usize) {}
    /// Whether there is no other worker.
    fn is_single(&self) -> bool {
        self.size() == 1
    }
}

impl dyn Reducer + '_ {
    /// Adds up `values` element by element over all workers, in their order; every worker receives
    /// the sum. Sends at most twice the values to all others together.
    pub fn sum_f64(&self, values: &mut [f64]) {
        self.combine("sum", values, |a, b| a + b);
    }

    /// As `sum_f64`, with the largest for the sum.
    pub fn max_f64(&self, values: &mut [f64]) {
        self.combine("maximum", values, f64::max);
    }

    /// The sum of one number.
    pub fn sum(&self, value: f64) -> f64 {
        let mut values = [value];
        self.sum_f64(&mut values);
        values[0]
    }

    /// The numbers of all workers, in their order; each may have another count of them.
    pub fn gather_u64(&self, values: &[u64]) -> Vec<u64> {
        if self.is_single() {
            return values.to_vec();
        }
        let mut counts = vec![0.0; self.size()];
        counts[self.rank()] = values.len() as f64;
        self.sum_f64(&mut counts);
        let sizes: Vec<usize> = counts.iter().map(|&count| count as usize).collect();
        self.announce("numbers of all workers", sizes.iter().sum());
        self.all_gather(values, &sizes)
    }

    fn combine(&self, kind: &'static str, values: &mut [f64], op: impl Fn(f64, f64) -> f64) {
        if self.is_single() || values.is_empty() {
            return;
        }
        self.announce(kind, values.len());
        let (rank, size, count) = (self.rank(), self.size(), values.len());
        let fold = |all: &[f64], out: &mut [f64]| {
            let width = out.len();
            out.copy_from_slice(&all[..width]);
            for other in all[width..].chunks_exact(width.max(1)) {
                out.iter_mut().zip(other).for_each(|(out, &x)| *out = op(*out, x));
            }
        };
        if count <= DIRECT {
            let all = self.all_gather(values, &vec![count; size]);
            return fold(&all, values);
        }
        // Every worker adds one piece of all workers, and then all pieces go to everybody.
        let piece = |of: usize| of * count / size..(of + 1) * count / size;
        let own = piece(rank);
        let send: Vec<&[f64]> = (0..size).map(|to| &values[piece(to)]).collect();
        let all = self.all_to_all(&send, &vec![own.len(); size]);
        let mut sum = vec![0.0; own.len()];
        fold(&all, &mut sum);
        let sizes: Vec<usize> = (0..size).map(|of| piece(of).len()).collect();
        values.copy_from_slice(&self.all_gather(&sum, &sizes));
    }

    fn all_gather<T: bytemuck::Pod>(&self, own: &[T], sizes: &[usize]) -> Vec<T> {
        self.all_to_all(&vec![own; self.size()], sizes)
    }

    /// One message to every worker (the own one is copied), and one of each, in their order.
    pub fn all_to_all<T: bytemuck::Pod>(&self, send: &[&[T]], sizes: &[usize]) -> Vec<T> {
        let rank = self.rank();
        let mut out = vec![T::zeroed(); sizes.iter().sum()];
        let mut parts = split(&mut out, sizes.iter().copied());
        parts[rank].copy_from_slice(send[rank]);
        parts[rank] = &mut [];
        self.exchange_typed(send, parts);
        out
    }

    /// As [`exchange`](Reducer::exchange) of numbers; the message to oneself is ignored.
    pub(crate) fn exchange_typed<T: bytemuck::Pod>(&self, send: &[&[T]], receive: Vec<&mut [T]>) {
        let rank = self.rank();
        let bytes = |to: usize| if to == rank { &[] } else { bytemuck::cast_slice(send[to]) };
        let send: Vec<&[u8]> = (0..self.size()).map(bytes).collect();
        let mut receive: Vec<&mut [u8]> =
            receive.into_iter().map(|part| bytemuck::cast_slice_mut(part)).collect();
        self.exchange(&send, &mut receive);
    }
}

/// Splits a slice into parts of these sizes.
pub(crate) fn split<T>(mut all: &mut [T], sizes: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let mut parts = Vec::new();
    for size in sizes {
        let (head, tail) = all.split_at_mut(size);
        parts.push(head);
        all = tail;
    }
    parts
}

/// One process holds all rows: nothing to exchange.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalReducer;

impl Reducer for LocalReducer {
    fn rank(&self) -> usize {
        0
    }
    fn size(&self) -> usize {
        1
    }
    fn exchange(&self, _send: &[&[u8]], _receive: &mut [&mut [u8]]) {}
    fn abort(&self, reason: &str) -> ! {
        panic!("{reason}")
    }
}
