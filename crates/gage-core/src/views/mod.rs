//! Views: operators with one row per node, never formed where they would be large.
//!
//! [`Views::build`] turns the blocks of a [`Graph`](crate::Graph) into `K` views as a list of [`ViewSpec`]s says. A view
//! is a matrix `Y_k` (possibly a composition that is only ever applied), a set of observed nodes, a weight in the loss
//! and a share in the embedding.

mod base;
mod build;
mod centre;
mod centred;
mod collection;
mod dense_columns;
mod diagonals;
mod error;
mod formed;
mod lower_product;
mod norm;
mod normalise;
mod observed;
mod operator;
mod preset;
mod recipe;
mod restrict;
mod spec;
mod symmetric_product;
#[cfg(test)]
mod tests;
mod view;

pub use collection::Views;
pub use error::ViewError;
pub use spec::{
    Choose, Directed, Direction, EmbeddingScale, Preset, Propagate, Source, Steps, Transform,
    ViewSpec,
};
pub use view::View;

pub(crate) use centred::{CentredGram, Part, expand_all, project_all};
pub(crate) use diagonals::{
    degrees, each_entry, inverse_document_frequencies, inverse_or_zero, inverse_row_lengths,
    symmetrised,
};
pub(crate) use formed::{Former, formed_bytes};
pub(crate) use norm::{GramNorm, gram_norm, norm_work};
pub(crate) use recipe::{PropagationRecipe, Recipe};
