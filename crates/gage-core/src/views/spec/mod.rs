//! Specifications of views, and presets of them.

mod preset;
mod preset_views;
mod view_spec;

pub use preset::{EmbeddingScale, Preset, SelectionRule};
pub use view_spec::{
    DirectedViews, Direction, LogAffinity, Propagate, Source, Steps, Transform, ViewSpec,
};
