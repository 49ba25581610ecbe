//! The rival methods do what their descriptions say, and do it well enough to be fair rivals.

mod bits;
mod blocks;
mod degenerate;
mod numpy;
mod real;
mod support;
