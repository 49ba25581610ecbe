//! Memory of matrices: shared arrays, and workspaces with pooled blocks, a limit and counters.

mod buffer;
mod counters;
mod exhausted;
mod pool;
mod storage;
mod workspace;

pub use buffer::Buffer;
pub use counters::{Kernel, KernelUsage};
pub use exhausted::{OutOfMemory, catch};
pub(crate) use storage::Storage;
pub use workspace::{PoolGuard, Workspace};
