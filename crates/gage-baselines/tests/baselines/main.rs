//! The baselines do what their descriptions say, and do it well enough to be fair.

mod bits;
mod blocks;
mod degenerate;
mod neural;
mod numpy;
mod real;
mod support;
