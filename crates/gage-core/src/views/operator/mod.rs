//! Views as operators: applied to blocks, never formed.

mod centred_gram;
mod recipe;
mod view;
mod view_operator;

pub use view::View;

pub(crate) use centred_gram::{CentredGram, Part, expand_all, project_all};
pub(crate) use recipe::{PropagationRecipe, Recipe};
pub(crate) use view_operator::{Diagonal, Factor, Operator, Propagation, Stored};
