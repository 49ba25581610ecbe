//! Readers, against real data, files written by real Python, and broken files.
#![allow(missing_docs, clippy::print_stderr, reason = "tests")]

mod real;
mod support;
