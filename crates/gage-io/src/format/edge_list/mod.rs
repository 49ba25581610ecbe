//! Edge lists: text files with an edge on each line.

mod blocks;
mod intern;
pub(crate) mod parse;
pub(crate) mod read;
mod shard;
pub(crate) mod write;
