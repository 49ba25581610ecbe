//! The methods, one file or folder each.

mod deepwalk;
mod neural;
mod pane;
mod ssgc;
mod svd;
mod tadw;
mod tpine;

pub use deepwalk::DeepWalk;
pub use neural::{Age, Dane, Dgi, GraphAutoencoder};
pub use pane::Pane;
pub use ssgc::Ssgc;
pub use svd::ConcatenatedSvd;
pub use tadw::{Tadw, TadwText};
pub use tpine::TPine;
