//! Read-only arrays that may belong to somebody else.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A shared, immutable array: an owned `Vec`, or memory owned elsewhere (a mapped file, a NumPy array).
///
/// Cloning copies a pointer, not the data, so several views can share one matrix.
pub struct Buffer<T: 'static> {
    owner: Arc<dyn AsRef<[T]> + Send + Sync>,
}

impl<T> Buffer<T> {
    /// Wraps foreign memory; `owner` keeps it alive.
    pub fn shared(owner: Arc<dyn AsRef<[T]> + Send + Sync>) -> Self {
        Buffer { owner }
    }
}

impl<T: Send + Sync> From<Vec<T>> for Buffer<T> {
    fn from(data: Vec<T>) -> Self {
        Buffer { owner: Arc::new(data) }
    }
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Buffer { owner: Arc::clone(&self.owner) }
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        (*self.owner).as_ref()
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
