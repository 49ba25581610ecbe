//! Edge lists: text files with an edge on each line.

mod blocks;
pub(crate) mod header;
mod intern;
pub(crate) mod parse;
pub(crate) mod read;
mod relation_names;
mod relations;
pub(crate) mod roles;
pub(crate) mod rows;
mod shard;
pub(crate) mod write;
