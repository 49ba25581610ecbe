//! Output files: they never replace an input, and all of one run appear together.

pub(crate) mod error;
pub(crate) mod inputs;
pub(crate) mod staging;
