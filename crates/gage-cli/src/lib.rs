//! Parts of the `gage` command that are whole programs of their own: the demo, maps, made-up graphs, and the
//! report of the paper's experiments.
//!
//! Each has an options structure, the arguments it is made from, and a `run` that writes what it has to say to a given
//! writer.

pub mod demo;
pub mod generate;
pub mod plot;
pub mod reproduce;

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

/// Writes a file so that it appears whole or not at all: under a temporary name in the same folder, then renamed.
pub(crate) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gage-").suffix(".tmp");
    #[cfg(unix)]
    {
        // Temporary files are private by default; this one becomes an ordinary file of the user.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let cannot = || format!("cannot write {}", path.display());
    let file = builder.tempfile_in(folder).with_context(cannot)?;
    let mut writer = BufWriter::with_capacity(1 << 18, file);
    fill(&mut writer).with_context(cannot)?;
    let file = writer.into_inner().map_err(|error| error.into_error()).with_context(cannot)?;
    file.persist(path).map_err(|error| error.error).with_context(cannot)?;
    Ok(())
}

/// Makes a folder and those above it; says which one if that fails.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path)
        .with_context(|| format!("cannot make the folder {}", path.display()))
}
