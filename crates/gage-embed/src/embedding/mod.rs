//! From factors to vectors: canonical form, shares, fitted models, new nodes.

mod canonical;
mod fold_in;
mod model;
mod shares;

pub use fold_in::{FoldedIn, NewBlock, NewNodes};
pub use model::{FitInfo, FittedView, Model};
pub use shares::Lambda;

pub(crate) use canonical::canonical_form;
pub(crate) use fold_in::{FoldInTables, LENGTH_PROBES, ViewTable};
