//! The one place where rows of different workers meet.

use std::borrow::Cow;
use std::ops::Range;

/// Sums over node rows, and exchanges of node rows, between workers that each hold a contiguous
/// range of nodes.
///
/// The solver is written once against this trait. [`LocalReducer`] implements it for one process,
/// where every operation is the identity. An implementation for several processes must be
/// deterministic (add in rank order) and return the same numbers to every worker.
pub trait Reducer: Send + Sync {
    /// The nodes whose rows this worker holds, out of `nodes` in all.
    fn local_rows(&self, nodes: usize) -> Range<usize>;
    /// Whether there is no other worker: nothing needs to be exchanged, and sums may start from
    /// more than zero.
    fn is_single(&self) -> bool {
        false
    }
    /// Adds up `values` element by element over all workers; every worker receives the sum.
    fn sum_f64(&self, values: &mut [f64]);
    /// As [`sum_f64`](Reducer::sum_f64), for `f32`.
    fn sum_f32(&self, values: &mut [f32]);
    /// Concatenates the rows (`width` numbers each) of all workers in node order.
    fn gather_f64<'a>(&self, local: &'a [f64], width: usize) -> Cow<'a, [f64]>;
    /// As [`gather_f64`](Reducer::gather_f64), for `f32`.
    fn gather_f32<'a>(&self, local: &'a [f32], width: usize) -> Cow<'a, [f32]>;
}

/// One process holds all rows: nothing to exchange.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalReducer;

impl Reducer for LocalReducer {
    fn local_rows(&self, nodes: usize) -> Range<usize> {
        0..nodes
    }
    fn is_single(&self) -> bool {
        true
    }
    fn sum_f64(&self, _values: &mut [f64]) {}
    fn sum_f32(&self, _values: &mut [f32]) {}
    fn gather_f64<'a>(&self, local: &'a [f64], _width: usize) -> Cow<'a, [f64]> {
        Cow::Borrowed(local)
    }
    fn gather_f32<'a>(&self, local: &'a [f32], _width: usize) -> Cow<'a, [f32]> {
        Cow::Borrowed(local)
    }
}
