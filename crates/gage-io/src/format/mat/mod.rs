//! MATLAB v5 files.

mod element;
pub(crate) mod read;
