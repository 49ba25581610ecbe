//! Links of a degree-corrected block model.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use gage_embed::io::{CsrArrays, IndexSink, NpyArray, write_npz_csr};
use gage_linalg::random::Stream;
use rayon::prelude::*;

use super::GenerateOptions;
use super::rows::write_indptr;

/// Rows handled as one unit of work.
const CHUNK: usize = 4096;

/// A symmetric adjacency: row `i` holds `lengths[i]` columns from `starts[i]` on; what follows in a row is not used.
pub(super) struct Links {
    starts: Vec<u64>,
    columns: Vec<u32>,
    lengths: Vec<u32>,
}

/// Expected degrees relative to their mean, in the order of the classes, summed up.
struct Ends {
    /// Nodes class by class.
    order: Vec<u32>,
    /// Sum of the weights before each place of `order`, and in all at the end.
    sums: Vec<f64>,
    /// For equal steps of the sum, the place they fall on: a search starts there.
    guide: Vec<u32>,
    /// First place of each class, and the number of nodes at the end.
    first: Vec<usize>,
}

impl Ends {
    fn new(classes: &[u16], count: usize, weights: &[f32]) -> Ends {
        let mut first = vec![0usize; count + 1];
        classes.iter().for_each(|&class| first[class as usize + 1] += 1);
        for class in 0..count {
            first[class + 1] += first[class];
        }
        let (mut next, mut order) = (first.clone(), vec![0u32; classes.len()]);
        for (node, &class) in classes.iter().enumerate() {
            order[next[class as usize]] = node as u32;
            next[class as usize] += 1;
        }
        let mut sums = Vec::with_capacity(order.len() + 1);
        let mut sum = 0.0;
        for &node in &order {
            sums.push(sum);
            sum += f64::from(weights[node as usize]);
        }
        sums.push(sum);
        let steps = order.len();
        let mut guide = Vec::with_capacity(steps + 1);
        let mut place = 0;
        for step in 0..=steps {
            let goal = sum * step as f64 / steps as f64;
            while place + 1 < order.len() && sums[place + 1] <= goal {
                place += 1;
            }
            guide.push(place as u32);
        }
        Ends { order, sums, guide, first }
    }

    /// The node at a place of the sum, searched within the places `low..high`.
    fn at(&self, mass: f64, low: usize, high: usize) -> u32 {
        let total = self.sums[self.order.len()];
        let step = (mass / total * self.order.len() as f64) as usize;
        // Rounding may put the guide one step too far.
        let step = step.saturating_sub(1).min(self.order.len());
        let mut place = (self.guide[step] as usize).clamp(low, high - 1);
        while place + 1 < high && self.sums[place + 1] <= mass {
            place += 1;
        }
        self.order[place]
    }

    /// A node of a class, or of any other class, in proportion to its weight.
    fn draw(&self, class: u16, inside: bool, stream: &mut Stream) -> u32 {
        let (low, high) = (self.first[class as usize], self.first[class as usize + 1]);
        let (before, after) = (self.sums[low], self.sums[high]);
        let (own, nodes) = (after - before, self.order.len());
        let rest = self.sums[nodes] - own;
        if inside || rest <= 0.0 {
            return self.at(before + stream.unit() * own, low, high);
        }
        let mass = stream.unit() * rest;
        if mass < before {
            self.at(mass, 0, low)
        } else {
            self.at(mass + own, high.min(nodes - 1), nodes)
        }
    }
}

/// Expected degrees relative to their mean.
fn weights(options: &GenerateOptions) -> Vec<f32> {
    if options.power_law == 0.0 {
        return vec![1.0; options.nodes];
    }
    // No node is expected to have more links than a simple graph can well hold.
    let most = (options.nodes as f64 / options.degree).sqrt().max(1.0) * 4.0;
    let power = -1.0 / (options.power_law - 1.0);
    let mut weights: Vec<f32> = (0..options.nodes as u64)
        .into_par_iter()
        .map(|node| {
            let unit = 1.0 - Stream::keyed(options.seed, 2, node).unit();
            unit.powf(power).min(most) as f32
        })
        .collect();
    let mean = weights.iter().map(|&weight| f64::from(weight)).sum::<f64>() / options.nodes as f64;
    weights.par_iter_mut().for_each(|weight| *weight = (f64::from(*weight) / mean) as f32);
    weights
}

/// Draws the links: each node draws half of its expected degree, the other half are those that draw it.
pub(super) fn links(options: &GenerateOptions, classes: &[u16]) -> Links {
    let weights = weights(options);
    let ends = Ends::new(classes, options.classes, &weights);
    let drawn: Vec<Vec<(u32, u32)>> = (0..options.nodes.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut pairs = Vec::new();
            for node in chunk * CHUNK..((chunk + 1) * CHUNK).min(options.nodes) {
                let mut stream = Stream::keyed(options.seed, 3, node as u64);
                let expected = 0.5 * options.degree * f64::from(weights[node]);
                let count =
                    expected.floor() + f64::from(u8::from(stream.unit() < expected.fract()));
                for _ in 0..count as usize {
                    let inside = stream.unit() < options.homophily;
                    let other = ends.draw(classes[node], inside, &mut stream);
                    if other as usize != node {
                        pairs.push((node as u32, other));
                    }
                }
            }
            pairs
        })
        .collect();
    drop((ends, weights));
    symmetric(options.nodes, &drawn)
}

/// Both directions of every pair, row by row. Threads fill rows in any order; sorting makes that invisible.
fn symmetric(nodes: usize, drawn: &[Vec<(u32, u32)>]) -> Links {
    let counts: Vec<AtomicU32> = (0..nodes).map(|_| AtomicU32::new(0)).collect();
    drawn.par_iter().flat_map_iter(|pairs| pairs.iter()).for_each(|&(a, b)| {
        counts[a as usize].fetch_add(1, Ordering::Relaxed);
        counts[b as usize].fetch_add(1, Ordering::Relaxed);
    });
    let mut starts = vec![0u64; nodes + 1];
    for node in 0..nodes {
        starts[node + 1] = starts[node] + u64::from(counts[node].load(Ordering::Relaxed));
    }
    let next: Vec<AtomicU64> = starts.iter().map(|&start| AtomicU64::new(start)).collect();
    let columns: Vec<AtomicU32> = (0..starts[nodes]).map(|_| AtomicU32::new(0)).collect();
    drawn.par_iter().flat_map_iter(|pairs| pairs.iter()).for_each(|&(a, b)| {
        for (row, column) in [(a, b), (b, a)] {
            let place = next[row as usize].fetch_add(1, Ordering::Relaxed) as usize;
            columns[place].store(column, Ordering::Relaxed);
        }
    });
    let mut columns: Vec<u32> = columns.into_iter().map(AtomicU32::into_inner).collect();
    let mut pieces = Vec::new();
    let mut rest = columns.as_mut_slice();
    for first in (0..nodes).step_by(CHUNK) {
        let last = (first + CHUNK).min(nodes);
        let (piece, after) = rest.split_at_mut((starts[last] - starts[first]) as usize);
        pieces.push((first, last, piece));
        rest = after;
    }
    let lengths: Vec<Vec<u32>> = pieces
        .into_par_iter()
        .map(|(first, last, piece)| {
            let row = |node: usize| {
                (starts[node] - starts[first]) as usize..(starts[node + 1] - starts[first]) as usize
            };
            (first..last).map(|node| sorted_unique(&mut piece[row(node)])).collect()
        })
        .collect();
    Links { starts, columns, lengths: lengths.into_iter().flatten().collect() }
}

/// Sorts, moves the different numbers to the front, and returns how many there are.
fn sorted_unique(row: &mut [u32]) -> u32 {
    row.sort_unstable();
    let mut kept = 0;
    for at in 0..row.len() {
        if at == 0 || row[at] != row[kept - 1] {
            row[kept] = row[at];
            kept += 1;
        }
    }
    kept as u32
}

impl Links {
    fn row(&self, node: usize) -> &[u32] {
        let start = self.starts[node] as usize;
        &self.columns[start..start + self.lengths[node] as usize]
    }

    /// Stored entries: two for every link.
    pub(super) fn entries(&self) -> u64 {
        self.lengths.iter().map(|&length| u64::from(length)).sum()
    }

    /// The largest degree.
    pub(super) fn largest(&self) -> u32 {
        self.lengths.iter().copied().max().unwrap_or(0)
    }

    /// Stored entries inside a class.
    pub(super) fn inside(&self, classes: &[u16]) -> u64 {
        (0..self.lengths.len())
            .into_par_iter()
            .map(|node| {
                let same = |&&other: &&u32| classes[other as usize] == classes[node];
                self.row(node).iter().filter(same).count() as u64
            })
            .sum()
    }

    /// Writes the adjacency as `.npz`.
    pub(super) fn write(&self, cols: usize, out: &mut dyn Write) -> io::Result<()> {
        let nnz = self.entries();
        let ones = [1u8; 1 << 16];
        let indices = |sink: IndexSink<'_, u32>| {
            let mut buffer = Vec::with_capacity(1 << 16);
            for node in 0..self.lengths.len() {
                buffer.extend_from_slice(self.row(node));
                if buffer.len() >= 1 << 15 {
                    sink(&buffer)?;
                    buffer.clear();
                }
            }
            sink(&buffer)
        };
        let arrays = CsrArrays {
            shape: (self.lengths.len(), cols),
            nnz,
            indices: &indices,
            indptr: &|sink| write_indptr(&self.lengths, sink),
            data: NpyArray::new("|u1", 1, &[nnz as usize], |sink| {
                let starts = (0..nnz as usize).step_by(ones.len());
                starts
                    .into_iter()
                    .try_for_each(|at| sink(&ones[..ones.len().min(nnz as usize - at)]))
            }),
        };
        write_npz_csr(arrays, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_drawn_by_weight_and_class() {
        let classes = [0, 1, 0, 1, 1, 0];
        let weights = [1.0, 2.0, 3.0, 0.5, 0.5, 1.0];
        let ends = Ends::new(&classes, 2, &weights);
        let mut stream = Stream::keyed(0, 0, 0);
        let mut hits = [[0.0f64; 6]; 2];
        for draw in 0..200_000 {
            hits[draw % 2][ends.draw(0, draw % 2 == 0, &mut stream) as usize] += 1e-5;
        }
        let expected =
            [[0.2, 0.0, 0.6, 0.0, 0.0, 0.2], [0.0, 2.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 6.0, 0.0]];
        for (hits, expected) in hits.iter().flatten().zip(expected.iter().flatten()) {
            assert!((hits - expected).abs() < 0.01, "{hits} {expected}");
        }
    }

    #[test]
    fn unique_numbers_come_first() {
        let mut row = [5, 1, 5, 2, 1];
        let kept = sorted_unique(&mut row) as usize;
        assert_eq!(row[..kept], [1, 2, 5]);
        assert_eq!(sorted_unique(&mut []), 0);
    }
}
