//! Linear algebra of large sparse and tall matrices, and of small dense ones.
//!
//! *Tall* matrices have one row per node (or per attribute column) and a few hundred columns; they
//! are stored in `f32` or `f64` ([`Real`]). *Small* matrices (`faer::Mat<f64>`) have a few hundred
//! rows and columns and are always `f64`. Every sum over node rows is made of fixed-size pieces
//! added in a fixed order, so results do not depend on the number of threads, and passes through a
//! [`Reducer`], so that rows may live in several processes.

pub mod kernel;
pub mod memory;
pub mod random;
pub mod small;
pub mod sparse;
pub mod tall;
pub mod workers;

pub use memory::{Buffer, Workspace};
pub use sparse::{SparseError, SparseMatrix, Values};
pub use tall::{AnyTall, AnyTallRef, DenseMatrix, DenseValues, Precision, Real, Tall};
pub use workers::{LocalReducer, Reducer};
