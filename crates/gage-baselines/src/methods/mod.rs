//! The methods, one file or folder each.

mod deepwalk;
mod pane;
mod ssgc;
mod svd;
mod tadw;
mod tpine;

pub use deepwalk::DeepWalk;
pub use pane::Pane;
pub use ssgc::Ssgc;
pub use svd::ConcatenatedSvd;
pub use tadw::{Tadw, TadwText};
pub use tpine::TPine;
