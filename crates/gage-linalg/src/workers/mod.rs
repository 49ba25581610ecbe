//! Rows spread over workers: who owns which, how sums are made, and how rows travel.
//!
//! Every matrix and every tall block is split by rows into contiguous ranges, one for each worker
//! ([`Partition`]). Small results are sums over workers ([`Reducer`]). Before a product, a worker
//! receives the rows that its columns name from their owners ([`Halo`]).

mod halo;
mod partition;
mod reducer;
mod threads;
mod transposed_rows;

pub use halo::Halo;
pub use partition::Partition;
pub use reducer::{LocalReducer, Reducer};
pub use threads::ThreadReducer;
pub use transposed_rows::transposed_rows;
