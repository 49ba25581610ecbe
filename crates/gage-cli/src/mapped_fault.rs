//! A mapped file that another program cuts short while it is used.
//!
//! Its length is checked when it is opened; what happens later the system reports with SIGBUS at
//! the next access, which would end the process without a word.

use crate::errors::Exit;
use crate::exhausted::{exit_now, write_failure};
use crate::staging;

const ERROR: &str = "a mapped file can no longer be read: it was cut short while it was in use, \
    or its disk failed";
const HELP: &str = "give a copy that no other program changes";

/// Ends the process with a message and its exit code from now on.
pub(crate) fn install() {
    let handler = end as extern "C" fn(libc::c_int);
    // SAFETY: the handler ends the process. It comes at an access to mapped memory, so the thread
    // is not inside the allocator, and it waits for no lock.
    unsafe { libc::signal(libc::SIGBUS, handler as libc::sighandler_t) };
}

extern "C" fn end(_: libc::c_int) {
    write_failure(format_args!("{ERROR}"), HELP, Exit::Input);
    staging::try_remove_all();
    exit_now(Exit::Input)
}
