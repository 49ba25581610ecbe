//! Why data could not be read.

mod origin;
mod read_error;

pub use origin::{Origin, Place};
pub(crate) use read_error::excerpt;
pub use read_error::{ReadError, ReadErrorKind};
