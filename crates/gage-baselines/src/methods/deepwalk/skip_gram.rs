//! Skip-gram training: hierarchical softmax and negative sampling together.

use gage_embed::Tall;
use gage_linalg::random::{Stream, mix};

use super::huffman::Huffman;
use super::params::DeepWalk;
use super::walks::Walks;
use crate::Error;
use crate::task::Task;

/// Step sizes at the start and at the end.
const RATES: (f32, f32) = (0.025, 0.0001);
/// Nodes more frequent than this share of all visits are sampled down.
const THRESHOLD: f64 = 1e-3;
/// Power of the frequency that negative samples follow.
const NOISE: f64 = 0.75;
/// Walks between two looks at the observer.
const WALKS_PER_STEP: usize = 1024;
/// Beyond this the logistic function is taken as settled, and no step is made.
const SETTLED: f32 = 6.0;
/// Places of the table of the logistic function.
const TABLE: usize = 1024;

/// The three tables of vectors, and what training looks up.
pub(crate) struct SkipGram {
    vectors: Tall<f32>,
    tree: Tall<f32>,
    noise: Tall<f32>,
    huffman: Huffman,
    /// Share of visits kept, per node.
    keep: Vec<f64>,
    /// Cumulative noise weights, per node.
    cumulative: Vec<f64>,
    logistic: Vec<f32>,
    params: DeepWalk,
    stream: Stream,
    gradient: Vec<f32>,
}

impl SkipGram {
    pub(crate) fn new(params: &DeepWalk, walks: &Walks, dimension: usize, seed: u64) -> SkipGram {
        let (counts, nodes) = (walks.counts(), walks.nodes());
        let total: u64 = counts.iter().sum();
        let limit = THRESHOLD * total as f64;
        let keep = counts.iter().map(|&count| {
            let ratio = limit / (count as f64).max(1.0);
            (ratio.sqrt() + ratio).min(1.0)
        });
        let mut sum = 0.0;
        let cumulative = counts.iter().map(|&count| {
            sum += (count as f64).powf(NOISE);
            sum
        });
        let middle = |at: usize| (2.0 * (at as f32 + 0.5) / TABLE as f32 - 1.0) * SETTLED;
        SkipGram {
            vectors: Tall::from_rows(nodes, dimension, |row, out: &mut [f32]| {
                // A node that no walk visits keeps zeros.
                if counts[row] > 0 {
                    let mut stream = Stream::new(seed ^ mix(0x1717 + row as u64));
                    for value in out {
                        let uniform = (stream.next_u64() >> 40) as f32 / (1u64 << 24) as f32;
                        *value = (uniform - 0.5) / dimension as f32;
                    }
                }
            }),
            tree: Tall::zeros(nodes, dimension),
            noise: Tall::zeros(nodes, dimension),
            huffman: Huffman::new(&counts),
            keep: keep.collect(),
            cumulative: cumulative.collect(),
            logistic: (0..TABLE).map(|at| 1.0 / (1.0 + (-middle(at)).exp())).collect(),
            params: *params,
            stream: Stream::new(seed ^ 0x5161),
            gradient: vec![0.0; dimension],
        }
    }

    /// Goes through all walks; returns the vectors.
    pub(crate) fn train(mut self, walks: &Walks, task: &Task<'_>) -> Result<Tall<f32>, Error> {
        let passes = self.params.epochs * walks.passes();
        let all = passes * walks.starts().len();
        task.plan(all / WALKS_PER_STEP + 1);
        let (mut walk, mut done) = (Vec::new(), 0usize);
        for pass in 0..passes {
            let pass = pass % walks.passes();
            for start in walks.order(pass) {
                walks.walk(pass, start, &mut walk);
                let rate = RATES.0 - (RATES.0 - RATES.1) * (done as f32 / all as f32);
                self.train_walk(&mut walk, rate);
                done += 1;
                if done.is_multiple_of(WALKS_PER_STEP) {
                    task.step()?;
                }
            }
        }
        Ok(self.vectors)
    }

    fn train_walk(&mut self, walk: &mut Vec<u32>, rate: f32) {
        walk.retain(|&node| {
            self.keep[node as usize] >= 1.0 || self.stream.unit() < self.keep[node as usize]
        });
        for at in 0..walk.len() {
            let reach = 1 + self.stream.below(self.params.window);
            let (from, to) = (at.saturating_sub(reach), (at + reach).min(walk.len() - 1));
            for other in (from..=to).filter(|&other| other != at) {
                self.train_pair(walk[other], walk[at], rate);
            }
        }
    }

    /// Makes the vector of `input` predict `target` a little better.
    fn train_pair(&mut self, input: u32, target: u32, rate: f32) {
        self.gradient.fill(0.0);
        let vector = self.vectors.row_mut(input as usize);
        for &(inner, branch) in self.huffman.path(target) {
            let row = self.tree.row_mut(inner as usize);
            // Word2vec makes no step where the function is settled on the tree.
            if let Some(probability) = look_up(&self.logistic, dot(vector, row)) {
                let step = (f32::from(u8::from(!branch)) - probability) * rate;
                both(step, vector, row, &mut self.gradient);
            }
        }
        let total = self.cumulative.last().copied().unwrap_or(0.0);
        for sample in 0..=self.params.negatives {
            let (node, truth) = if sample == 0 {
                (target as usize, 1.0)
            } else {
                let point = self.stream.unit() * total;
                (self.cumulative.partition_point(|&sum| sum <= point), 0.0)
            };
            if sample > 0 && node == target as usize {
                continue;
            }
            let row = self.noise.row_mut(node);
            if let Some(probability) = look_up(&self.logistic, dot(vector, row)) {
                both((truth - probability) * rate, vector, row, &mut self.gradient);
            }
        }
        vector.iter_mut().zip(&self.gradient).for_each(|(value, step)| *value += step);
    }
}

/// The logistic function from its table; `None` where it is settled.
#[inline]
fn look_up(table: &[f32], x: f32) -> Option<f32> {
    let at = (x + SETTLED) * (TABLE as f32 / (2.0 * SETTLED));
    // NaN fails both comparisons.
    (x > -SETTLED && x < SETTLED).then(|| table[(at as usize).min(TABLE - 1)])
}

/// Inner product in sixteen fixed lanes, which the compiler can keep in registers.
#[inline]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 16];
    let (a_whole, a_rest) = a.as_chunks::<16>();
    let (b_whole, b_rest) = b.as_chunks::<16>();
    for (a, b) in a_whole.iter().zip(b_whole) {
        for lane in 0..16 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest
}

/// `gradient += step * row`, then `row += step * vector`.
#[inline]
fn both(step: f32, vector: &[f32], row: &mut [f32], gradient: &mut [f32]) {
    for ((value, row), gradient) in vector.iter().zip(row).zip(gradient) {
        *gradient += step * *row;
        *row += step * value;
    }
}
