//! How many threads may be requested.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use crate::error::Error;

/// Threads for each processor at most.
const PER_PROCESSOR: usize = 4;

/// Refuses more threads than four times the processors: the results would be the same bits, but
/// starting a hundred thousand threads does not end.
///
/// ```
/// use gage_embed::{Error, check_threads};
/// assert!(check_threads(1).is_ok());
/// assert!(matches!(check_threads(100_000), Err(Error::Threads { .. })));
/// ```
pub fn check_threads(threads: usize) -> Result<(), Error> {
    let processors = available_parallelism().map_or(1, NonZeroUsize::get);
    let most = PER_PROCESSOR * processors;
    if (1..=most).contains(&threads) {
        return Ok(());
    }
    Err(Error::Threads { most, found: threads })
}
