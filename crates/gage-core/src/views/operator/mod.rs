//! Views as matrix-free operators.

mod centred_gram;
mod columns;
mod factor;
mod input;
mod log_columns;
mod propagation;
mod recipe;
mod spread;
mod view;
mod view_operator;

pub use view::View;

pub(crate) use centred_gram::{CentredGram, Part, expand_all, project_all};
pub(crate) use columns::Diagonal;
pub(crate) use factor::{Factor, Stored};
pub(crate) use log_columns::{LogColumns, SourceColumns};
pub(crate) use propagation::Propagation;
pub(crate) use recipe::{PropagationRecipe, Recipe};
pub(crate) use view_operator::Operator;
