//! From factors to vectors: canonical form, shares, fitted models, new nodes.

mod canonical;
mod fitted_view;
mod fold_in;
mod fold_in_tables;
mod model;
mod shares;

pub use fitted_view::FittedView;
pub use fold_in::{FoldedIn, NewBlock, NewNodes};
pub use model::{FitInfo, Model};
pub use shares::Lambda;

pub(crate) use canonical::canonical_form;
pub(crate) use fold_in_tables::{FoldInTables, LENGTH_PROBES, ViewTable};
