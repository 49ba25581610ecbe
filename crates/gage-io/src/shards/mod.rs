//! Data sets in shards: every part has the rows of some nodes, and no reader needs them all.
//!
//! A folder holds `manifest.json` and, for every part, a folder with one file for each block and
//! the ids of its nodes. The manifest comes last, so a conversion that stopped left none.

mod embedding;
mod manifest;
mod part_file;
mod read;
mod write;

pub use embedding::{is_sharded_embedding, part_embedding, read_sharded_embedding};
pub use manifest::{BlockEntry, Manifest, PartEntry};
pub use read::Shards;
pub use write::write_shards;

/// The file that makes a folder a data set in shards.
pub(crate) const MANIFEST: &str = "manifest.json";

/// The folder of a part.
pub(crate) fn part_name(part: usize) -> String {
    format!("part-{part:05}")
}
