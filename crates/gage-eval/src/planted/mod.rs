//! Attributed graphs with planted classes, of any size: what an embedding should recover is known.

mod attributes;
mod ends;
mod graph;
mod links;
mod params;
#[cfg(test)]
mod tests;

pub use graph::PlantedGraph;
pub use params::PlantedParams;

/// Nodes handled as one unit of work.
const CHUNK: usize = 4096;
