//! Presets that select their views for a graph.
//!
//! `auto` hides some attributes, measures what predicts them, and weighs views by it. `links` hides
//! some of the links and takes the candidate that predicts them best. None uses labels. The model
//! keeps the evidence as a [`Selection`].

mod attribute_prediction;
mod auc_of_ridge;
mod auto;
mod graph_statistics;
mod hidden_columns;
mod links;
mod resolve;
mod sampler;
mod selection;
mod smoothing;

pub use attribute_prediction::AttributePrediction;
pub use graph_statistics::{AttributeForm, GraphStatistics};
pub use resolve::{select_by_rule, select_views};
pub use selection::{Selection, Trial};

pub(crate) use resolve::{resolve, resolve_for_plan};
