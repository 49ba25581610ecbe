//! What the kernels cost: calls, seconds, floating-point operations and bytes.
//!
//! Counting costs two readings of the clock for each call of a kernel, which works on a whole
//! block.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde::Serialize;

/// The operations that take nearly all time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kernel {
    /// Sparse matrix times tall matrix: one pass over the nonzeros.
    Spmm,
    /// Gram matrices and products of two tall matrices, in double precision.
    Gram,
    /// The same in the precision of the matrices, if that is single.
    GramWorkingPrecision,
    /// Tall times small, in double precision.
    TimesSmall,
    /// The same in the precision of the tall matrix, if that is single.
    TimesSmallWorkingPrecision,
    /// Eigendecompositions of small matrices.
    Eigen,
    /// Products of small matrices and systems with them, in double precision.
    Small,
}

impl Kernel {
    /// All kernels.
    pub const ALL: [Kernel; 7] = [
        Kernel::Spmm,
        Kernel::Gram,
        Kernel::GramWorkingPrecision,
        Kernel::TimesSmall,
        Kernel::TimesSmallWorkingPrecision,
        Kernel::Eigen,
        Kernel::Small,
    ];
}

/// What one kernel has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct KernelUsage {
    /// How often it was called.
    pub calls: u64,
    /// Time from call to return, all calls together.
    pub seconds: f64,
    /// Multiplications and additions.
    pub flops: f64,
    /// Bytes read and written if nothing stays in a cache between two uses.
    pub bytes: f64,
}

#[derive(Debug, Default)]
struct Counter {
    calls: AtomicU64,
    nanoseconds: AtomicU64,
    flops: AtomicU64,
    bytes: AtomicU64,
}

/// One counter per kernel, in the order of [`Kernel::ALL`].
#[derive(Debug, Default)]
pub struct Counters([Counter; Kernel::ALL.len()]);

impl Counters {
    /// Runs a kernel and counts it.
    pub fn count<R>(&self, kernel: Kernel, flops: u64, bytes: u64, run: impl FnOnce() -> R) -> R {
        let clock = Instant::now();
        let result = run();
        let counter = &self.0[kernel as usize];
        counter.calls.fetch_add(1, Ordering::Relaxed);
        counter.nanoseconds.fetch_add(clock.elapsed().as_nanos() as u64, Ordering::Relaxed);
        counter.flops.fetch_add(flops, Ordering::Relaxed);
        counter.bytes.fetch_add(bytes, Ordering::Relaxed);
        result
    }

    /// What every kernel has done.
    pub fn usage(&self) -> [(Kernel, KernelUsage); Kernel::ALL.len()] {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Kernel::ALL.map(|kernel| {
            let counter = &self.0[kernel as usize];
            let usage = KernelUsage {
                calls: read(&counter.calls),
                seconds: read(&counter.nanoseconds) as f64 * 1e-9,
                flops: read(&counter.flops) as f64,
                bytes: read(&counter.bytes) as f64,
            };
            (kernel, usage)
        })
    }
}
