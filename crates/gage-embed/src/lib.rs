//! gage-embed
pub mod eval;
pub mod graph;
pub mod linalg;
pub use graph::*;
pub use linalg::*;
