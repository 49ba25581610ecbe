//! Builds an index: centroids, lists, and the number of lists a search reads.

mod centroids;
mod index;
mod probes;

pub use index::{BuiltIndex, IndexParams, build, extend};
