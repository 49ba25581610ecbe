//! Opening a page in the browser of the user.

use std::process::{Command, Stdio};

/// Starts the browser of the user; false if the system knows of none.
pub(super) fn open(url: &str) -> bool {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // `xdg-open` hands the address over and ends.
    command.status().is_ok_and(|status| status.success())
}
