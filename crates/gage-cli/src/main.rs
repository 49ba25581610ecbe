//! The `gage` command.
fn main() {}
