//! An index is built: centroids, lists, and how many lists a search must read.

mod centroids;
mod index;
mod probes;

pub use index::{BuiltIndex, IndexParams, build};
