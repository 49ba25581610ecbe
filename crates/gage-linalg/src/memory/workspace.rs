//! What one piece of work shares: a buffer pool, a memory limit, and counters.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::counters::{Counters, Kernel, KernelUsage};
use super::pool::{Block, BufferPool, Limit};

/// The memory and the counters of one piece of work, for example a fit.
///
/// A tall matrix belongs to the workspace it was allocated in, and what is computed from it is
/// allocated and counted there. So two fits with a workspace each share nothing: one may be limited
/// and fail to keep its limit while the other neither knows nor waits. Cloning copies a handle.
///
/// ```
/// use gage_embed::Tall;
/// use gage_embed::linalg::Workspace;
/// use gage_linalg::kernel::times_small;
/// use gage_linalg::memory::Kernel;
///
/// let workspace = Workspace::default();
/// let block = Tall::<f32>::zeros_in(&workspace, 1000, 8);
/// times_small(&block, faer::Mat::identity(8, 8).as_ref());
/// let calls = workspace.usage().into_iter().filter(|(_, usage)| usage.calls > 0);
/// assert_eq!(calls.map(|(kernel, _)| kernel).collect::<Vec<_>>(), [Kernel::TimesSmall]);
/// ```
#[derive(Clone, Default)]
pub struct Workspace(Arc<Shared>);

#[derive(Default)]
struct Shared {
    pool: Mutex<BufferPool>,
    counters: Counters,
}

impl Workspace {
    /// A workspace whose tall matrices take about `bytes` of memory. What is beyond is spilled to
    /// files in the folder `scratch`, on which there must be room for it. Sparse matrices are not
    /// counted.
    pub fn with_limit(bytes: usize, scratch: impl Into<PathBuf>) -> Workspace {
        let pool = BufferPool::with_limit(Limit::new(bytes, scratch.into()));
        Workspace(Arc::new(Shared { pool: Mutex::new(pool), counters: Counters::default() }))
    }

    /// Changes the limit for what is allocated from now on.
    pub fn set_limit(&self, bytes: usize, scratch: impl Into<PathBuf>) {
        self.pool().set_limit(Limit::new(bytes, scratch.into()));
    }

    /// Whether both are handles of one workspace.
    pub fn is_same(&self, other: &Workspace) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Why a block could not be spilled, if there was one since the last call. It is in memory
    /// then, beyond the limit.
    pub fn take_spill_failure(&self) -> Option<io::Error> {
        self.pool().take_failure()
    }

    /// How many blocks were spilled.
    pub fn spilled_blocks(&self) -> usize {
        self.pool().spilled()
    }

    /// Pools freed blocks for reuse until the guard is dropped.
    pub fn pool_guard(&self) -> PoolGuard {
        self.pool().enter();
        PoolGuard(self.clone())
    }

    /// Runs a kernel and counts it.
    pub fn count<R>(&self, kernel: Kernel, flops: u64, bytes: u64, run: impl FnOnce() -> R) -> R {
        self.0.counters.count(kernel, flops, bytes, run)
    }

    /// As [`count`](Workspace::count), for products of small matrices, whose bytes do not matter.
    pub fn count_small<R>(&self, flops: usize, run: impl FnOnce() -> R) -> R {
        self.count(Kernel::Small, flops as u64, 0, run)
    }

    /// What every kernel has done in this workspace.
    pub fn usage(&self) -> [(Kernel, KernelUsage); Kernel::ALL.len()] {
        self.0.counters.usage()
    }

    pub(super) fn allocate(&self, bytes: usize) -> io::Result<Block> {
        self.pool().allocate(bytes)
    }

    pub(super) fn free(&self, block: Block) {
        self.pool().free(block);
    }

    fn pool(&self) -> MutexGuard<'_, BufferPool> {
        // Every change of the pool is complete before anything may panic.
        self.0.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workspace({:?})", self.pool())
    }
}

/// While one of these lives, freed large blocks of its workspace are pooled for reuse.
pub struct PoolGuard(Workspace);

impl Drop for PoolGuard {
    fn drop(&mut self) {
        self.0.pool().leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tall;

    const BLOCK: usize = 4 << 20;

    fn block(workspace: &Workspace) -> Tall<f32> {
        Tall::zeros_in(workspace, BLOCK, 1)
    }

    #[test]
    fn one_workspace_fails_to_spill_and_the_others_do_not_notice() {
        let folder = tempfile::tempdir().unwrap();
        let failing = Workspace::with_limit(1 << 20, folder.path().join("missing"));
        let spilling = Workspace::with_limit(1 << 20, folder.path());
        let unlimited = Workspace::default();
        let all = [&failing, &spilling, &unlimited];
        let blocks = all.map(block);
        assert!(blocks.iter().all(|block| block.data().iter().all(|&x| x == 0.0)));
        assert_eq!(all.map(Workspace::spilled_blocks), [0, 1, 0]);
        let failures = all.map(|workspace| workspace.take_spill_failure().map(|e| e.kind()));
        assert_eq!(failures, [Some(io::ErrorKind::NotFound), None, None]);
        assert!(failing.take_spill_failure().is_none());
        // The files have no names.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_computed_from_a_spilled_matrix_is_spilled_and_counted_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let limited = Workspace::with_limit(0, folder.path());
        let other = Workspace::default();
        let fill = |row: usize, out: &mut [f32]| out.fill(row as f32);
        let m = faer::Mat::from_fn(2, 2, |i, j| (i + 2 * j) as f64);
        let products = [&limited, &other].map(|workspace| {
            let tall = Tall::from_rows_in(workspace, BLOCK, 2, fill);
            crate::kernel::times_small(&tall, m.as_ref())
        });
        assert_eq!(products[0].data(), products[1].data());
        assert_eq!((limited.spilled_blocks(), other.spilled_blocks()), (2, 0));
        let calls = |workspace: &Workspace| workspace.usage().map(|(_, usage)| usage.calls);
        assert_eq!(calls(&limited), calls(&other));
        crate::kernel::times_small(&products[0], m.as_ref());
        assert_eq!(calls(&limited).iter().sum::<u64>(), 2);
        assert_eq!(calls(&other).iter().sum::<u64>(), 1);
    }

    #[test]
    fn freed_blocks_are_reused_while_there_is_a_guard() {
        let workspace = Workspace::default();
        let guard = workspace.pool_guard();
        let at = |tall: &Tall<f32>| tall.data().as_ptr();
        let first = block(&workspace);
        let place = at(&first);
        drop(first);
        let reused = block(&workspace);
        assert_eq!(at(&reused), place);
        drop(reused);
        drop(guard);
        assert!(workspace.pool().is_empty());
        drop(block(&workspace));
        assert!(workspace.pool().is_empty());
    }
}
