//! The data set inside the program.

use std::path::Path;

use anyhow::{Context, Result};
use gage_embed::io::{Dataset, DatasetSpec, Directed, load};

use crate::{make_folder, write_file};

/// The files of the folder `data/debian`.
const FILES: [(&str, &[u8]); 6] = [
    ("adj.npz", include_bytes!("../../data/debian/adj.npz")),
    ("features.npz", include_bytes!("../../data/debian/features.npz")),
    ("labels.npy", include_bytes!("../../data/debian/labels.npy")),
    ("nodes.txt", include_bytes!("../../data/debian/nodes.txt")),
    ("attributes.txt", include_bytes!("../../data/debian/attributes.txt")),
    ("meta.json", include_bytes!("../../data/debian/meta.json")),
];

/// Writes the data set to a folder, where other commands can read it too.
pub(super) fn unpack(folder: &Path) -> Result<()> {
    make_folder(folder)?;
    for (name, bytes) in FILES {
        write_file(&folder.join(name), |out| Ok(out.write_all(bytes)?))?;
    }
    Ok(())
}

/// Reads it as any data set, links without direction: that two packages need each other matters here, not which one
/// needs which.
pub(super) fn read(folder: &Path) -> Result<Dataset> {
    let spec = DatasetSpec { directed: Directed::No, ..DatasetSpec::at(folder) };
    load(&spec).with_context(|| format!("cannot read the demo data in {}", folder.display()))
}
