//! What several tests need: where the data are, a Python, and temporary files.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

/// The folder of real data sets; when absent, says so and returns nothing, except under CI.
pub fn datasets() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/datasets");
    let folder = std::env::var_os("GAGE_DATASETS").map_or(default, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(!in_ci(), "no data sets at {}; set GAGE_DATASETS", folder.display());
    eprintln!("SKIPPED: no data sets at {}; set GAGE_DATASETS", folder.display());
    None
}

/// Runs a Python script with numpy and scipy in a new folder; returns the folder. Skips loudly without such a Python,
/// except under CI.
pub fn python(script: &str) -> Option<TempDir> {
    let python = std::env::var("GAGE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let usable = Command::new(&python)
        .args(["-c", "import numpy, scipy"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !usable {
        assert!(!in_ci(), "{python} has no numpy and scipy; set GAGE_PYTHON");
        eprintln!("SKIPPED: {python} has no numpy and scipy; set GAGE_PYTHON");
        return None;
    }
    let folder = TempDir::new().expect("temporary folder");
    let output = Command::new(&python)
        .args(["-c", script])
        .current_dir(folder.path())
        .output()
        .expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(folder)
}
