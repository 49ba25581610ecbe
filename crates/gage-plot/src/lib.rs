//! Maps and charts: embeddings laid out in two dimensions, and drawings of them as SVG and PNG.
//!
//! [`layout`] turns an embedding into points, [`Scene`] joins points with names and classes, and
//! [`draw_png`] and [`draw_svg`] draw the scene. [`chart`] draws lines with
//! bands. Nothing here opens a file.

mod draw;
mod error;
pub mod layout;

pub use draw::{
    DISTINCT_CLASSES, Scene, Theme, base64, chart, class_look, draw_png, draw_svg, escape,
    script_json, values,
};
pub use error::PlotError;
