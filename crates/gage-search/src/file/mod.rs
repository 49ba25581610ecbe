//! The index file: its layout, and a mapped file that is verified as it is read.

mod format;
mod ids;
mod mapped;
mod origin;
mod path;

pub use format::{IndexInfo, Recall};
pub(crate) use format::{NO_POSITION, PARTS, Part, write};
pub(crate) use ids::sorted;
pub use mapped::SearchIndex;
pub use origin::Origin;
pub use path::index_path;
