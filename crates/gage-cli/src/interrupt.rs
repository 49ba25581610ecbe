//! Ctrl-C: a fit is cancelled and saves its checkpoint; other work ends at once, and temporary
//! files are removed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::errors::{Exit, Failure};

static REQUESTED: AtomicBool = AtomicBool::new(false);
/// Active sections that watch [`requested`] or must not be torn apart.
static SECTIONS: AtomicUsize = AtomicUsize::new(0);

/// Starts to listen. `at_end` cleans up and reports before the process ends at once. Without a
/// handler (no such system call, another one installed) Ctrl-C simply ends the process.
pub(crate) fn install(at_end: fn()) {
    let _ = ctrlc::set_handler(move || {
        let first = !REQUESTED.swap(true, Ordering::SeqCst);
        if first && SECTIONS.load(Ordering::SeqCst) > 0 {
            return;
        }
        at_end();
        end_now();
    });
}

#[allow(clippy::exit, reason = "the second Ctrl-C must end a process that does not listen")]
fn end_now() -> ! {
    std::process::exit(i32::from(Exit::Interrupted as u8))
}

/// Whether Ctrl-C was pressed.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// An error once Ctrl-C was pressed; checked between stages.
pub(crate) fn check() -> Result<(), Failure> {
    if requested() { Err(Failure::interrupted()) } else { Ok(()) }
}

/// While this lives, the first Ctrl-C only raises the flag.
pub(crate) struct Section(());

/// Enters a section that stops by itself or is too short to be stopped.
pub(crate) fn section() -> Section {
    SECTIONS.fetch_add(1, Ordering::SeqCst);
    Section(())
}

impl Drop for Section {
    fn drop(&mut self) {
        SECTIONS.fetch_sub(1, Ordering::SeqCst);
    }
}
