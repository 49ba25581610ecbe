//! Norms of centred Gram matrices, and explicit Gram matrices where they are small.

mod centring;
mod dense_columns;
mod exact;
mod explicit_gram;
mod gram_norm;
mod lower_product;
mod ring;
mod symmetric_product;

pub(crate) use explicit_gram::{GramBuilder, explicit_gram_bytes};
pub(crate) use gram_norm::{GramNorm, gram_norm, norm_work};
