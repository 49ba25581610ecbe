//! Generator of attributed graphs with planted classes, which an embedding should recover.

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
