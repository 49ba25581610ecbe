//! Views: operators with one row per node.
//!
//! [`Views::build`] turns the blocks of a [`Graph`](crate::Graph) into `K` views as a list of
//! [`ViewSpec`]s says. A view is a matrix `Y_k` (possibly a composition that is only ever applied),
//! a set of observed nodes, a weight in the loss and a share in the embedding.

mod build;
mod error;
mod norm;
mod operator;
mod spec;
#[cfg(test)]
mod tests;

pub use build::Views;
pub use error::ViewError;
pub use operator::View;
pub use spec::{
    DirectedViews, Direction, EmbeddingScale, LogAffinity, Preset, Propagate, SelectionRule,
    Source, Steps, Transform, ViewRecipe, ViewSpec,
};

pub(crate) use spec::is_weight;

pub(crate) use build::{each_entry, inverse_or_zero, inverse_row_lengths, inverse_row_sums};
pub(crate) use norm::{GramBuilder, GramNorm, explicit_gram_bytes, gram_norm, norm_work};
pub(crate) use operator::{CentredGram, Part, PropagationRecipe, Recipe, expand_all, project_all};
