//! Output files: which inputs they must not replace, and how all of them appear at once.

pub(crate) mod error;
pub(crate) mod inputs;
pub(crate) mod staging;
