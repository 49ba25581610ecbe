//! The embedded data set.

use std::path::Path;

use gage_embed::io::{Dataset, Inputs, load};

use crate::staging::Staging;

/// Writes the data set to a folder, where other commands can read it too; returns its files.
pub(super) fn unpack(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut staging = Staging::new(Inputs::default());
    let mut files = Vec::new();
    for (name, bytes) in gage_debian::FILES {
        let path = folder.join(name);
        let target = staging.claim(&path)?;
        staging.write(&target, |out| out.write_all(bytes))?;
        files.push(path.display().to_string());
    }
    staging.commit()?;
    Ok(files)
}

/// Reads it as any data set.
pub(super) fn read(folder: &Path) -> anyhow::Result<Dataset> {
    Ok(load(&gage_debian::spec(folder))?)
}
