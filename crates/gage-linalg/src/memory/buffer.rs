//! Read-only arrays that may be owned elsewhere.

use std::fmt;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

/// A shared, immutable array: an owned `Vec`, or memory owned elsewhere (a mapped file, a NumPy
/// array).
///
/// Cloning copies a pointer, not the data, so several views can share one matrix.
pub struct Buffer<T: 'static> {
    /// The slice of the owner. Resolving it on every access made a pass over sparse data several
    /// times slower.
    data: NonNull<[T]>,
    owner: Arc<dyn AsRef<[T]> + Send + Sync>,
}

// SAFETY: a `Buffer` is a shared borrow of `[T]` with the (`Send + Sync`) owner it borrows from.
unsafe impl<T: Sync> Send for Buffer<T> {}
// SAFETY: as above; nothing can be changed through a `Buffer`.
unsafe impl<T: Sync> Sync for Buffer<T> {}

impl<T> Buffer<T> {
    /// Wraps foreign memory; `owner` keeps it alive.
    pub fn shared(owner: Arc<dyn AsRef<[T]> + Send + Sync>) -> Self {
        let data = NonNull::from((*owner).as_ref());
        Buffer { data, owner }
    }
}

impl<T: Send + Sync> From<Vec<T>> for Buffer<T> {
    fn from(data: Vec<T>) -> Self {
        Buffer::shared(Arc::new(data))
    }
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Buffer { data: self.data, owner: Arc::clone(&self.owner) }
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `data` was borrowed from `*owner`, which does not move inside the `Arc`, is only
        // ever borrowed shared, and outlives `self`.
        unsafe { self.data.as_ref() }
    }
}

impl<T: fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} elements)", self.len())
    }
}

impl<T: PartialEq> PartialEq for Buffer<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts calls of `as_ref` and drops.
    struct Lender(Vec<u32>, Arc<AtomicUsize>, Arc<AtomicUsize>);
    impl AsRef<[u32]> for Lender {
        fn as_ref(&self) -> &[u32] {
            self.1.fetch_add(1, Ordering::Relaxed);
            &self.0
        }
    }
    impl Drop for Lender {
        fn drop(&mut self) {
            self.2.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_owner_is_asked_once_and_lives_as_long_as_any_clone() {
        let (asked, gone) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let lender = Lender(vec![3, 1, 2], Arc::clone(&asked), Arc::clone(&gone));
        let buffer = Buffer::shared(Arc::new(lender));
        let clone = buffer.clone();
        drop(buffer);
        assert_eq!(gone.load(Ordering::Relaxed), 0);
        let sum: u32 =
            std::thread::scope(|scope| scope.spawn(|| clone.iter().sum()).join()).unwrap();
        assert_eq!((sum, &clone[..]), (6, &[3, 1, 2][..]));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        drop(clone);
        assert_eq!(gone.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn an_empty_buffer_is_an_empty_slice() {
        assert!(Buffer::from(Vec::<f64>::new()).is_empty());
    }
}
