//! Norms of centred Gram matrices, and Gram matrices that are small enough to be formed.

mod centring;
mod dense_columns;
mod explicit_gram;
mod gram_norm;
mod lower_product;
mod symmetric_product;

pub(crate) use explicit_gram::{Former, formed_bytes};
pub(crate) use gram_norm::{GramNorm, gram_norm, norm_work};
