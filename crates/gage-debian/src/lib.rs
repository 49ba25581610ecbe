//! A data set inside the program: 3,824 Debian packages, their dependencies, the words of their
//! descriptions, and the sections they belong to. Where it is from: `data/README.md`.
//!
//! ```
//! let folder = std::env::temp_dir().join("gage-debian-doc");
//! std::fs::create_dir_all(&folder)?;
//! for (name, bytes) in gage_debian::FILES {
//!     std::fs::write(folder.join(name), bytes)?;
//! }
//! let data = gage_embed::io::load(&gage_debian::spec(&folder))?;
//! assert_eq!(data.graph.nodes().len(), 3824);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::Path;

use gage_embed::io::{DatasetSpec, Directed};

/// The files of the folder `data/debian`, by name.
pub const FILES: [(&str, &[u8]); 6] = [
    ("adj.npz", include_bytes!("../data/debian/adj.npz")),
    ("features.npz", include_bytes!("../data/debian/features.npz")),
    ("labels.npy", include_bytes!("../data/debian/labels.npy")),
    ("nodes.txt", include_bytes!("../data/debian/nodes.txt")),
    ("attributes.txt", include_bytes!("../data/debian/attributes.txt")),
    ("meta.json", include_bytes!("../data/debian/meta.json")),
];

/// How to read the files from a folder they were written to: links without direction, since that
/// two packages need each other matters here, not which one needs which.
pub fn spec(folder: &Path) -> DatasetSpec {
    DatasetSpec { directed: Directed::No, ..DatasetSpec::at(folder) }
}
