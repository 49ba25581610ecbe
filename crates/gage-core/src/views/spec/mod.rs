//! Specifications of views, and presets of them.

mod preset;
mod preset_views;
mod recipe;
mod view_spec;

pub use preset::{EmbeddingScale, Preset, SelectionRule};
pub use recipe::ViewRecipe;
pub(crate) use view_spec::is_weight;
pub use view_spec::{
    DirectedViews, Direction, LogAffinity, Propagate, Source, Steps, Transform, ViewSpec,
};
