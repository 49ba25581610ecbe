//! Drawings: scenes of points as PNG and SVG, and charts of lines.

mod axis;
pub mod chart;
mod encode;
mod palette;
mod picture;
mod raster;
mod scene;
pub mod values;

pub use encode::{base64, escape, script_json};
pub use palette::{DISTINCT_CLASSES, class_look};
pub use picture::{Theme, draw_png, draw_svg};
pub use scene::Scene;
