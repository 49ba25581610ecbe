//! Views as matrix-free operators.

mod centred_gram;
mod factor;
mod input;
mod log_columns;
mod propagation;
mod recipe;
mod view;
mod view_operator;

pub use view::View;

pub(crate) use centred_gram::{CentredGram, Part, expand_all, project_all};
pub(crate) use factor::{Diagonal, Factor, Stored};
pub(crate) use log_columns::{LogColumns, SourceColumns};
pub(crate) use propagation::Propagation;
pub(crate) use recipe::{PropagationRecipe, Recipe};
pub(crate) use view_operator::Operator;
