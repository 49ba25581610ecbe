//! Queries: a scan of all rows, or a search in an index.

mod exact;
mod indexed;

pub use exact::nearest;
pub use indexed::Answer;
