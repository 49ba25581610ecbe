//! gage-embed
pub mod graph;
pub mod io;
pub mod linalg;
pub use graph::*;
pub use linalg::*;
