//! Presets that select their views for a graph.
//!
//! `auto` measures [`GraphStatistics`] and applies a rule, and `walks` a variant of it. `links`
//! hides some of the links and takes the candidate that predicts them best. None uses labels. The
//! model keeps the evidence as a [`Selection`].

mod attribute_assortativity;
mod auto;
mod cosines;
mod graph_statistics;
mod links;
mod regime;
mod resolve;
mod sampler;
mod selection;
mod smoothing_retention;
mod split_half;
mod walks;

pub use attribute_assortativity::AttributeAssortativity;
pub use graph_statistics::{AttributeForm, GraphStatistics};
pub use resolve::{select_by_rule, select_views};
pub use selection::{Selection, Trial};

pub(crate) use resolve::{resolve, resolve_for_plan};
