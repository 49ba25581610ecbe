//! A common basis for all views, in as few passes over the data as possible.
//!
//! Wanted: orthonormal `V` (`p` columns, somewhat more than the dimension) that captures most of
//! the tensor, i.e. makes `sum_k w_k^2 ||V^T X_k V||^2` large. A stationary `V` spans an invariant
//! subspace of `sum_k w_k^2 X_k V V^T X_k`, so
//!
//! ```text
//! B_k = Y_k^T J V          (one pass)       S_k = B_k^T B_k = V^T X_k V
//! V <- orth( sum_k w_k^2 J Y_k (B_k M_k) )   (one pass),   M_k = S_k Z diag(1 / theta)
//! ```
//!
//! with `Z diag(theta) Z^T = sum_k w_k^2 S_k^2` is one iteration of two passes (the paper's
//! orthogonal iteration on `sum_k X_k^2` takes four, and sixty of them). `Z` and `theta` only keep
//! the columns well conditioned. Everything is accumulated into one block, whatever the number of
//! views.
//!
//! A multiple `s V` is subtracted from the sum before `orth`. What does not belong into the basis
//! has values between 0 and about the smallest `theta`; a shift by some half of that makes them
//! smaller than it makes those that do belong, so that `lambda / mu` becomes about
//! `(2 lambda / mu - 1)`. The smallest `theta` is known from below only, so `s` is 0.7 of it: that
//! gained most on Wikipedia, BlogCatalog, Debian and WordNet (of 0, 0.5, 0.7 and 0.9), nearly one
//! iteration of five. The first iteration goes without: it would gain by a shift, but the ones
//! after it more than make up for that. The last blocks have fewer columns
//! (`BasisParams::width_before`), those of the largest `theta`.
//!
//! `orth` is never carried out on anything tall: the block `N` is kept as it came, `V = N T` with a
//! small `T` from its Gram matrix, and `T` is multiplied into whatever small matrix comes next.
//! That leaves, for each iteration, one Gram matrix of `N` and, for each view, one Gram matrix and
//! one update of `Y_k^T J N`. Small problems skip the iteration: with `V = I`, `S_k = X_k`, one
//! pass and one eigendecomposition are exact.

mod convergence;
mod cost;
mod direct;
mod find;
mod iteration;
mod task;

pub(crate) use cost::basis_cost;
pub(crate) use find::find_basis;
pub(crate) use iteration::BasisState;
pub(crate) use task::{Basis, BasisTask};
