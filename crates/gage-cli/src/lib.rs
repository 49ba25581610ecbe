//! Parts of the `gage` command that are whole programs of their own: the demo, maps, made-up graphs, and the
//! report of the paper's experiments.
//!
//! Each has an options structure, the arguments it is made from, and a `run` that writes what it has to say to a given
//! writer.

pub mod demo;
pub mod generate;
pub mod plot;
pub mod reproduce;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// Writes a file so that it appears whole or not at all; says which one if that fails.
pub(crate) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    gage_embed::io::write_atomically(path, fill)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Makes a folder and those above it; says which one if that fails.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path)
        .with_context(|| format!("cannot make the folder {}", path.display()))
}
