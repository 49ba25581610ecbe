//! What this machine can do at best, measured.

use std::hint::black_box;
use std::time::Instant;

use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, Mat, Par};
use gage_linalg::Tall;
use gage_linalg::memory::Kernel;
use gage_linalg::small::symmetric_eigen;
use rayon::prelude::*;

/// The best of several runs, in seconds.
fn best(runs: usize, mut work: impl FnMut()) -> f64 {
    (0..runs)
        .map(|_| {
            let clock = Instant::now();
            work();
            clock.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

/// Bytes a second that all threads read one after another from a table of this size, in the kind of
/// memory that blocks of a fit are in.
pub(crate) fn read_bandwidth(bytes: usize) -> f64 {
    let table = Tall::<f32>::zeros((bytes / 4).max(1 << 14), 1);
    let table = table.data();
    let chunk = table.len().div_ceil(8 * rayon::current_num_threads()).max(1 << 12);
    // Small tables are read again and again, so that starting the threads does not count.
    let repeat = ((1usize << 28) / (4 * table.len())).max(1);
    let seconds = best(5, || {
        table.par_chunks(chunk).for_each(|part| {
            for _ in 0..repeat {
                let mut sums = [0.0f32; 64];
                for line in part.chunks_exact(64) {
                    for (sum, &value) in sums.iter_mut().zip(line) {
                        *sum += value;
                    }
                }
                black_box(sums);
            }
        });
    });
    (4 * table.len() * repeat) as f64 / seconds
}

/// Floating-point operations a second.
pub(crate) struct DenseRates {
    /// Of the kernels that work on tall blocks.
    pub(crate) dense: Vec<(Kernel, f64)>,
    pub(crate) eigen: f64,
}

impl DenseRates {
    /// Of one kernel; infinite if it does no dense work.
    pub(crate) fn of(&self, kernel: Kernel) -> f64 {
        let found = self.dense.iter().find(|(known, _)| *known == kernel);
        found.map_or(f64::INFINITY, |(_, rate)| *rate)
    }
}

const ROWS: usize = 256;
const REPEAT: usize = 64;

/// Rows of a Gram matrix made at a time, as the library does it.
const PANEL: usize = 48;

/// Seconds of a piece of work when every thread does it again and again, on blocks that stay in its
/// cache.
fn each_thread(work: impl Fn() + Sync) -> f64 {
    let threads = rayon::current_num_threads();
    let all = || (0..threads).into_par_iter().for_each(|_| (0..REPEAT).for_each(|_| work()));
    best(5, all) / (threads * REPEAT) as f64
}

/// Rate of the lower triangle of `a^T a` in one number type.
fn gram_rate<S: ComplexField + Send + Sync>(
    width: usize,
    number: impl Fn(usize) -> S + Sync,
) -> f64 {
    let block = Mat::from_fn(ROWS, width, |i, j| number((i * 7 + j * 13) % 17));
    let seconds = each_thread(|| {
        let mut out = Mat::<S>::zeros(width, width);
        for first in (0..width).step_by(PANEL) {
            let end = width.min(first + PANEL);
            let out = out.as_mut().submatrix_mut(first, 0, end - first, end);
            let left = block.subcols(first, end - first).transpose();
            matmul(out, Accum::Replace, left, block.subcols(0, end), number(1), Par::Seq);
        }
        black_box(&out);
    });
    (ROWS * width * width) as f64 / seconds
}

/// Rate of `a m` with a small `m` in one number type.
fn update_rate<S: ComplexField + Send + Sync>(
    width: usize,
    number: impl Fn(usize) -> S + Sync,
) -> f64 {
    let block = Mat::from_fn(ROWS, width, |i, j| number((i * 7 + j * 13) % 17));
    let small = Mat::from_fn(width, width, |i, j| number((i + 3 * j) % 5));
    let seconds = each_thread(|| {
        let mut out = Mat::<S>::zeros(ROWS, width);
        matmul(out.as_mut(), Accum::Replace, block.as_ref(), small.as_ref(), number(1), Par::Seq);
        black_box(&out);
    });
    (2 * ROWS * width * width) as f64 / seconds
}

/// Rates of dense work on `width` columns.
pub(crate) fn dense_rates(width: usize) -> DenseRates {
    let symmetric = Mat::from_fn(width, width, |i, j| 1.0 / (1.0 + (i + j) as f64));
    let eigen = best(3, || {
        black_box(symmetric_eigen(symmetric.as_ref()));
    });
    let (double, single) = (|n: usize| n as f64, |n: usize| n as f32);
    let (update, update_single) = (update_rate(width, double), update_rate(width, single));
    DenseRates {
        dense: vec![
            (Kernel::Gram, gram_rate(width, double)),
            (Kernel::GramWorkingPrecision, gram_rate(width, single)),
            (Kernel::TimesSmall, update),
            (Kernel::TimesSmallWorkingPrecision, update_single),
            (Kernel::Small, update),
        ],
        eigen: 6.0 * (width as f64).powi(3) / eigen,
    }
}
