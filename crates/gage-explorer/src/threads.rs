//! Where parallel work runs.

use std::sync::Arc;

use crate::error::ExplorerError;

/// Threads of an explorer: its own, or those of the process.
#[derive(Clone, Default)]
pub(crate) struct Threads(Option<Arc<rayon::ThreadPool>>);

impl Threads {
    /// So many threads of its own (0 for as many as there are processors), or those of the process.
    pub(crate) fn new(count: Option<usize>) -> Result<Threads, ExplorerError> {
        let Some(count) = count else { return Ok(Threads(None)) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
        let pool = pool.map_err(|error| ExplorerError::Thread(std::io::Error::other(error)))?;
        Ok(Threads(Some(Arc::new(pool))))
    }

    /// Runs work there.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}
