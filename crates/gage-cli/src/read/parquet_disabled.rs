//! What is said when this build cannot read Parquet.

use std::path::Path;

use gage_embed::{AnyTall, Nodes};

use crate::errors::{Exit, Failure};

/// Never: this build cannot tell.
pub(super) fn is_embedding(_: &Path) -> bool {
    false
}

/// Refuses the file.
pub(super) fn read(path: &Path) -> anyhow::Result<(Nodes, AnyTall)> {
    let message = format!(
        "{}: whole file: found Parquet, expected a format this build reads",
        path.display()
    );
    Err(Failure::new(Exit::Input, message).help("build with --features parquet").into())
}
