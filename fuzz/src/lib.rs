//! libFuzzer on the readers: the same exercise as the seeded test of `gage-embed`, on inputs that
//! libFuzzer chooses.

#[path = "../../crates/gage-embed/tests/readers/fuzz/exercise.rs"]
mod exercise;

use std::path::PathBuf;
use std::sync::OnceLock;

use tempfile::TempDir;

/// Gives `data` to the readers of a target, as a file. What they accept is used; a panic is a
/// finding.
pub fn run(name: &str, data: &[u8]) {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| TempDir::new().expect("temporary folder"));
    let target = exercise::target(name);
    let path: PathBuf = folder.path().join(target.file);
    std::fs::write(&path, data).expect("file is written");
    (target.run)(&path);
}
