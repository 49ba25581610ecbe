//! Maps and charts: embeddings laid out in two dimensions, and drawings of them as SVG, PNG and HTML.
//!
//! [`layout`] turns an embedding into points, [`Scene`] joins points with names and classes, and [`draw_png`],
//! [`draw_svg`] and [`page::map_page`] draw the scene. [`chart`] draws lines with bands. Nothing here opens a file.

pub mod chart;
mod encode;
mod error;
pub mod layout;
pub mod page;
mod palette;
mod picture;
pub mod random;
mod raster;
mod scene;

pub use encode::escape;
pub use error::PlotError;
pub use picture::{Theme, draw_png, draw_svg};
pub use scene::Scene;
