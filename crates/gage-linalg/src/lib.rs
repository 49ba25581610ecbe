//! Numbers: sparse and tall matrices, their products, and small dense algebra.
//!
//! *Tall* matrices have one row per node (or per attribute column) and a few hundred columns; they are stored in
//! `f32` or `f64` ([`Real`]). *Small* matrices (`faer::Mat<f64>`) have a few hundred rows and columns and are always
//! `f64`. Every sum over node rows is made of fixed-size pieces added in a fixed order, so results do not depend on
//! the number of threads, and passes through a [`Reducer`], so that rows may live in several processes.

mod accumulate;
mod buffer;
mod dense;
mod few;
pub mod meter;
mod numbers;
mod products;
pub mod random;
mod real;
mod reduce;
mod scatter;
pub mod simd;
pub mod small;
mod sparse;
mod spmm;
mod square;
mod storage;
mod tall;
mod tall_ops;
mod transpose;
mod update;

pub use buffer::Buffer;
pub use dense::{DenseMatrix, DenseValues};
pub use meter::{KERNELS, Kernel, Usage, reset_usage, usage};
pub use numbers::{Numbers, NumbersRef};
pub use products::{cross_gram, gram, times_small};
pub use random::{Stream, fill_normal, mix};
pub use real::{Precision, Real};
pub use reduce::{LocalReducer, Reducer};
pub use small::{PsdSolver, symmetric_eigen};
pub use sparse::{SparseError, SparseMatrix, Values};
pub use spmm::{Diagonals, sparse_times_tall};
pub use storage::limit_memory;
pub use tall::Tall;
pub use tall_ops::{add_scaled, orthonormalise};

pub use accumulate::{add_multiple, wide_sum};
pub use few::{FewSigns, sparse_times_few_from};
pub use products::{rough_cross_gram, rough_gram, rough_product, rough_times_small};
pub use scatter::transposed_times_tall_from;
pub use spmm::{Begin, Task, sparse_times_tall_from};
pub use square::{mirror, write_turned};
pub use storage::{Reuse, take_limit_failure};
pub use tall::sum_over_rows;
pub use tall_ops::{
    column_sums, independent_orthonormaliser, orthonormaliser, subtract_row, weighted_row_sum,
};
pub use update::rough_update;
