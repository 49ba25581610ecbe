//! What this machine can do at best, measured.

use std::hint::black_box;
use std::time::Instant;

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, Mat, Par};
use gage_embed::linalg::symmetric_eigen;
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

/// Bytes a second that all threads read one after another from a table of this size.
pub(crate) fn read_bandwidth(bytes: usize) -> f64 {
    let table = vec![1.0f32; (bytes / 4).max(1 << 14)];
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
    pub(crate) gram: f64,
    pub(crate) update: f64,
    pub(crate) eigen: f64,
}

/// Rates of dense work on `width` columns, every thread on its own blocks that stay in its cache.
pub(crate) fn dense_rates(width: usize) -> DenseRates {
    const ROWS: usize = 256;
    const REPEAT: usize = 64;
    let threads = rayon::current_num_threads();
    let each_thread = |work: &(dyn Fn() + Sync)| {
        best(5, || (0..threads).into_par_iter().for_each(|_| (0..REPEAT).for_each(|_| work())))
            / (threads * REPEAT) as f64
    };
    let block = Mat::from_fn(ROWS, width, |i, j| ((i * 7 + j * 13) % 17) as f32);
    let small = Mat::from_fn(width, width, |i, j| ((i + 3 * j) % 5) as f32);
    let flops = (ROWS * width * width) as f64;
    let update = each_thread(&|| {
        let mut out = Mat::<f32>::zeros(ROWS, width);
        matmul(out.as_mut(), Accum::Replace, block.as_ref(), small.as_ref(), 1.0, Par::Seq);
        black_box(&out);
    });
    let wide = Mat::from_fn(ROWS, width, |i, j| ((i * 7 + j * 13) % 17) as f64);
    let gram = each_thread(&|| {
        let mut out = Mat::<f64>::zeros(width, width);
        let general = triangular::BlockStructure::Rectangular;
        triangular::matmul(
            out.as_mut(),
            triangular::BlockStructure::TriangularLower,
            Accum::Add,
            wide.transpose(),
            general,
            wide.as_ref(),
            general,
            1.0,
            Par::Seq,
        );
        black_box(&out);
    });
    let symmetric = Mat::from_fn(width, width, |i, j| 1.0 / (1.0 + (i + j) as f64));
    let eigen = best(3, || {
        black_box(symmetric_eigen(symmetric.as_ref()));
    });
    DenseRates {
        gram: flops / gram,
        update: 2.0 * flops / update,
        eigen: 6.0 * (width as f64).powi(3) / eigen,
    }
}
