//! Products and sums of large matrices: nearly all time of a fit is spent here.

mod axpy;
mod dense_transpose;
mod gram;
mod kmeans;
mod logarithm;
mod neighbours;
mod orthonormalise;
mod precision;
pub mod simd;
mod sparse_sign_sketch;
mod spmm;
mod spmm_transposed;
#[cfg(test)]
mod tests;
mod times_small;
mod times_small_in_place;
mod top_k;

pub use axpy::{axpy, unrolled_sum};
pub use dense_transpose::{symmetrize_from_lower, transpose_into};
pub use gram::{cross_gram, cross_gram_working_precision, gram, gram_working_precision};
pub use kmeans::{
    cluster_members, nearest_centroids, squared_distances, squared_lengths, update_centroids,
};
pub use logarithm::signed_ln_1p;
pub use neighbours::{exact_neighbours, squared_distance};
pub use orthonormalise::{
    add_scaled, column_sums, independent_orthonormaliser, orthonormalise, orthonormaliser,
    subtract_row, weighted_row_sum,
};
pub use sparse_sign_sketch::{SparseSignSketch, spmm_sketch};
pub use spmm::{Diagonals, RowInit, SpmmRows, spmm, spmm_accumulate};
pub use spmm_transposed::spmm_transposed;
pub use times_small::{square_times_tall, times_small, times_small_working_precision};
pub use times_small_in_place::times_small_in_place;
pub use top_k::TopK;
