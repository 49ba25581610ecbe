//! What the kernels cost: calls, seconds, floating-point operations and bytes, for profiles and benchmarks.
//!
//! The counters belong to the process: they tell fits apart only when those run one after another. Counting costs two
//! readings of the clock for each call of a kernel, which works on a whole block.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde::Serialize;

/// The operations nearly all time goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kernel {
    /// Sparse matrix times tall matrix: a pass over the data.
    Spmm,
    /// Products of tall matrices that end in a small one, in double precision.
    Gram,
    /// The same in the number type of the matrices, if that is single precision.
    GramWorkingPrecision,
    /// Tall times small, in double precision.
    TimesSmall,
    /// The same in single precision.
    TimesSmallWorkingPrecision,
    /// Eigenvectors of small matrices.
    Eigen,
    /// Products of small matrices and systems with them, in double precision.
    Small,
}

/// All kernels, in the order of their counters.
pub const KERNELS: [Kernel; 7] = [
    Kernel::Spmm,
    Kernel::Gram,
    Kernel::GramWorkingPrecision,
    Kernel::TimesSmall,
    Kernel::TimesSmallWorkingPrecision,
    Kernel::Eigen,
    Kernel::Small,
];

/// What one kernel has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Usage {
    /// How often it was called.
    pub calls: u64,
    /// Time from call to return, all calls together.
    pub seconds: f64,
    /// Multiplications and additions.
    pub flops: f64,
    /// Bytes read and written when nothing stays in a cache between two uses.
    pub bytes: f64,
}

struct Counters {
    calls: AtomicU64,
    nanoseconds: AtomicU64,
    flops: AtomicU64,
    bytes: AtomicU64,
}

static COUNTERS: [Counters; KERNELS.len()] = [const {
    Counters {
        calls: AtomicU64::new(0),
        nanoseconds: AtomicU64::new(0),
        flops: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
    }
}; KERNELS.len()];

/// Runs a kernel and counts it.
pub fn count_kernel<R>(kernel: Kernel, flops: u64, bytes: u64, run: impl FnOnce() -> R) -> R {
    let clock = Instant::now();
    let result = run();
    let counters = &COUNTERS[kernel as usize];
    counters.calls.fetch_add(1, Ordering::Relaxed);
    counters.nanoseconds.fetch_add(clock.elapsed().as_nanos() as u64, Ordering::Relaxed);
    counters.flops.fetch_add(flops, Ordering::Relaxed);
    counters.bytes.fetch_add(bytes, Ordering::Relaxed);
    result
}

/// As [`count_kernel`], for work on small matrices, which is never counted by the byte.
pub fn count_small<R>(flops: usize, run: impl FnOnce() -> R) -> R {
    count_kernel(Kernel::Small, flops as u64, 0, run)
}

/// What every kernel has done since the process began or since [`reset_usage`].
pub fn usage() -> [(Kernel, Usage); KERNELS.len()] {
    KERNELS.map(|kernel| {
        let counters = &COUNTERS[kernel as usize];
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let usage = Usage {
            calls: read(&counters.calls),
            seconds: read(&counters.nanoseconds) as f64 * 1e-9,
            flops: read(&counters.flops) as f64,
            bytes: read(&counters.bytes) as f64,
        };
        (kernel, usage)
    })
}

/// Sets all counters to zero.
pub fn reset_usage() {
    for counters in &COUNTERS {
        for counter in [&counters.calls, &counters.nanoseconds, &counters.flops, &counters.bytes] {
            counter.store(0, Ordering::Relaxed);
        }
    }
}
