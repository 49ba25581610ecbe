//! The end of memory.
//!
//! Large blocks of a fit are errors like any other. What the standard library allocates is not: it
//! would print a backtrace, for which there is no memory either, and wait for its own lock. So the
//! allocator of the command, which is that of the system, ends the process itself: one message, no
//! temporary folders left, the documented exit code.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt;
use std::io::{Cursor, Write};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

use crate::errors::{Exit, Failure, LESS_MEMORY};
use crate::output::Output;
use crate::staging;

/// A larger request is not made by a program short of memory, but follows from the claim of a
/// file. Its reader gets a null pointer and refuses the file.
const CLAIM: usize = 1 << 36;
/// Given back to the system at the end, for what removing the temporary folders takes.
const RESERVE: Layout = match Layout::from_size_align(1 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => Layout::new::<u8>(),
};

/// Whether the command runs. Otherwise running out of memory is an error of the library, as in
/// the Python package.
static RUNNING: AtomicBool = AtomicBool::new(false);
static RESERVED: AtomicPtr<u8> = AtomicPtr::new(null_mut());
/// What stands before the failure in the JSON of this command; none for text.
static JSON_START: OnceLock<String> = OnceLock::new();
static STAGE: Mutex<&str> = Mutex::new("start");
static ENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread ends the process.
    static IS_ENDING: Cell<bool> = const { Cell::new(false) };
}

/// The allocator of the system; while the command runs, the end of memory ends the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndingAllocator;

// SAFETY: every call goes to the allocator of the system as it is, and so does its result. None
// unwinds: where there is no memory the process ends.
unsafe impl GlobalAlloc for EndingAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }
    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }
    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        or_end(unsafe { System.realloc(memory, layout, size) }, size)
    }
    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[inline]
fn or_end(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() && bytes < CLAIM && RUNNING.load(Ordering::Relaxed) {
        end(bytes);
    }
    memory
}

/// Says how to report the end.
pub(crate) fn report_to(out: &Output) {
    if let Some(json) = out.is_json().then(|| out.failure(&()).ok()).flatten() {
        let start = json.trim_end_matches('}').to_owned();
        // Set once: a process runs one command.
        let _ = JSON_START.set(start);
    }
}

/// Sets memory aside for the end, which from now on is that of the process.
pub(crate) fn prepare() {
    // SAFETY: the size is not zero.
    let memory = unsafe { System.alloc(RESERVE) };
    RESERVED.store(memory, Ordering::Relaxed);
    RUNNING.store(true, Ordering::Relaxed);
}

/// Notes what is being done, for the message.
pub(crate) fn set_stage(stage: &'static str) {
    *STAGE.lock().unwrap_or_else(PoisonError::into_inner) = stage;
}

/// The failure of a block that the libraries could not allocate.
pub(crate) fn failure(bytes: usize) -> Failure {
    let stage = *STAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let message = format!("out of memory ({stage}): {bytes} bytes could not be allocated");
    Failure::new(Exit::Memory, message).help(LESS_MEMORY)
}

/// Ends the process, without taking any memory or waiting for any lock.
#[cold]
fn end(bytes: usize) -> ! {
    if ENDING.swap(true, Ordering::SeqCst) {
        while !IS_ENDING.get() {
            std::thread::sleep(Duration::from_secs(1));
        }
        // Even the end found no memory.
        exit_now(Exit::Memory);
    }
    IS_ENDING.set(true);
    let reserved = RESERVED.swap(null_mut(), Ordering::Relaxed);
    if !reserved.is_null() {
        // SAFETY: allocated in `prepare` with the same layout, and taken by nobody else.
        unsafe { System.dealloc(reserved, RESERVE) };
    }
    write_message(bytes);
    staging::try_remove_all();
    exit_now(Exit::Memory)
}

fn write_message(bytes: usize) {
    let stage = match STAGE.try_lock() {
        Ok(stage) => *stage,
        Err(TryLockError::Poisoned(stage)) => *stage.into_inner(),
        Err(TryLockError::WouldBlock) => "working",
    };
    let error = format_args!("out of memory ({stage}): {bytes} bytes could not be allocated");
    write_failure(error, LESS_MEMORY, Exit::Memory);
}

/// Writes a failure, as text or JSON, without taking memory. Neither text holds a quote.
pub(crate) fn write_failure(error: fmt::Arguments<'_>, help: &str, exit: Exit) {
    // Longer than the texts together.
    let mut text = Cursor::new([0u8; 1024]);
    let code = exit as u8;
    let _ = match JSON_START.get() {
        Some(start) => writeln!(
            text,
            "{start},\"error\":\"{error}\",\"help\":\"{help}\",\"exit_code\":{code}}}"
        ),
        None => writeln!(text, "error: {error}\nhelp: {help}"),
    };
    let length = text.position() as usize;
    write_stderr(&text.get_ref()[..length]);
}

/// Standard error without its lock, which this or another thread may hold.
#[cfg(unix)]
fn write_stderr(text: &[u8]) {
    // SAFETY: the bytes are valid for reads. Nobody is left to tell where this fails.
    let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

#[cfg(not(unix))]
fn write_stderr(text: &[u8]) {
    let _ = std::io::stderr().write_all(text);
}

#[cfg(unix)]
pub(crate) fn exit_now(code: Exit) -> ! {
    // SAFETY: it takes no memory and does not return. Other handlers of the end of a process might
    // wait for threads that have no memory either.
    unsafe { libc::_exit(i32::from(code as u8)) }
}

#[cfg(not(unix))]
#[allow(clippy::exit, reason = "there is no memory to end in another way")]
pub(crate) fn exit_now(code: Exit) -> ! {
    std::process::exit(i32::from(code as u8))
}
