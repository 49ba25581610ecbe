//! Running out of memory as a value.
//!
//! A kernel returns its matrix, not a `Result`: almost every call would only pass the error on.
//! Where no block can be had the thread unwinds with [`OutOfMemory`], silently, Rayon carries that
//! to the caller, and [`catch`] makes a value of it. `docs/decisions/27-running-out-of-memory.md`
//! says why.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use thiserror::Error;

/// A block that could not be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("out of memory: {bytes} bytes could not be allocated")]
pub struct OutOfMemory {
    /// its size
    pub bytes: usize,
}

/// Unwinds to the next [`catch`]. No panic hook runs, so nothing is printed.
#[cold]
pub(super) fn unwind(bytes: usize) -> ! {
    resume_unwind(Box::new(OutOfMemory { bytes }))
}

/// Runs work; a block it cannot allocate is an error. Any other panic goes on.
///
/// What the work borrows must not be used after an error if the work may have changed it.
///
/// ```
/// use gage_linalg::Tall;
/// use gage_linalg::memory::catch;
/// let lack = catch(|| Tall::<f64>::zeros(1 << 40, 1 << 10)).err();
/// assert_eq!(lack.map(|lack| lack.bytes), Some(1 << 53));
/// ```
pub fn catch<R>(work: impl FnOnce() -> R) -> Result<R, OutOfMemory> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast() {
        Ok(lack) => *lack,
        Err(other) => resume_unwind(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tall;
    use rayon::prelude::*;

    #[test]
    fn a_block_that_cannot_be_had_is_an_error_from_any_thread() {
        let sizes: Vec<usize> = (0..64).map(|i| if i % 7 == 3 { 1 << 50 } else { 10 }).collect();
        let work = || sizes.par_iter().map(|&n| Tall::<f32>::zeros(n, 1).rows()).sum::<usize>();
        assert_eq!(catch(work), Err(OutOfMemory { bytes: 1 << 52 }));
        assert_eq!(catch(|| Tall::<f32>::zeros(10, 1).rows()), Ok(10));
    }

    #[test]
    fn other_panics_go_on() {
        let outcome = catch_unwind(|| catch(|| resume_unwind(Box::new("other"))));
        assert_eq!(outcome.unwrap_err().downcast_ref::<&str>(), Some(&"other"));
    }
}
