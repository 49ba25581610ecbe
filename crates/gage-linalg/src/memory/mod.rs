//! Memory of matrices: shared arrays, the pool of large blocks, and counters of kernels.

mod buffer;
mod counters;
mod storage;

pub use buffer::Buffer;
pub use counters::{KERNELS, Kernel, Usage, count_kernel, count_small, reset_usage, usage};
pub(crate) use storage::Storage;
pub use storage::{PoolGuard, limit_memory, take_limit_failure};
