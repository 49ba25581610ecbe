//! The data set inside the program.

use std::path::Path;

use anyhow::{Context, Result};
use gage_embed::io::{Dataset, load};

use crate::{make_folder, write_file};

/// Writes the data set to a folder, where other commands can read it too.
pub(super) fn unpack(folder: &Path) -> Result<()> {
    make_folder(folder)?;
    for (name, bytes) in gage_debian::FILES {
        write_file(&folder.join(name), |out| Ok(out.write_all(bytes)?))?;
    }
    Ok(())
}

/// Reads it as any data set.
pub(super) fn read(folder: &Path) -> Result<Dataset> {
    load(&gage_debian::spec(folder))
        .with_context(|| format!("cannot read the demo data in {}", folder.display()))
}
