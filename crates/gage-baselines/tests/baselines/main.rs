//! The baselines do what their descriptions say, and do it well enough to be fair.
#![allow(clippy::print_stderr, reason = "what was measured")]

mod bits;
mod blocks;
mod degenerate;
mod memory;
mod neural;
mod numpy;
mod real;
mod sanity;
mod support;
