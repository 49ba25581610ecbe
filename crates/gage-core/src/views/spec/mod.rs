//! What a user asks for: specifications of views, and presets of them.

mod preset_views;
mod view_spec;

pub use view_spec::{
    Choose, Directed, Direction, EmbeddingScale, Preset, Propagate, Source, Steps, Transform,
    ViewSpec,
};
