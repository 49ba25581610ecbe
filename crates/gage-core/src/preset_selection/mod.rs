//! Presets that look at the graph before they choose views.
//!
//! `auto` measures a few [`Facts`] and follows a rule; `links` hides a part of the links and takes what predicts them
//! best. Neither sees labels. What was seen and chosen is kept in the model as a [`Choice`].

mod attribute_assortativity;
mod auto;
mod choice;
mod cosines;
mod graph_statistics;
mod links;
mod resolve;
mod smoothing_retention;

pub use attribute_assortativity::Agreement;
pub use choice::{Choice, Trial};
pub use graph_statistics::{AttributeForm, Facts};
pub use resolve::choose_views;

pub(crate) use resolve::{resolve, resolve_for_plan};
