//! Standard input, named pipes and process substitution. Readers read a file more than once and
//! map it into memory, which a pipe does not allow: what comes out of it is kept in an unnamed
//! temporary file.

use std::collections::HashMap;
use std::fs::{self, File, FileType};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::name::location;

/// Which stream it is, under whatever name it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stream {
    /// Standard input, where the system does not number it.
    Input,
    /// A pipe, by the numbers the system has for it.
    Pipe(u64, u64),
}

/// The content of a stream, or why it could not be read.
type Kept = Arc<OnceLock<Result<Arc<File>, (io::ErrorKind, String)>>>;

static KEPT: OnceLock<Mutex<HashMap<Stream, Kept>>> = OnceLock::new();

/// From now on `-` is standard input, and pipes may be read like files: what comes out of them is
/// kept until the process ends. This is for programs that read their inputs once. A process that
/// lives on would be given the old content of a pipe that has been filled anew, so without this
/// call pipes are refused.
pub fn keep_streams() {
    KEPT.get_or_init(Mutex::default);
}

/// Whether a path is standard input or a pipe, and may be read.
pub fn is_stream(path: impl AsRef<Path>) -> bool {
    stream(location(path.as_ref())).is_some()
}

/// The first of some inputs that is the same stream as one before it: a stream is one input.
pub fn repeated_stream<'a>(paths: &[&'a Path]) -> Option<&'a Path> {
    let streams: Vec<_> = paths.iter().map(|path| stream(location(path))).collect();
    let again = |&at: &usize| streams[at].is_some() && streams[..at].contains(&streams[at]);
    (0..paths.len()).find(again).map(|at| paths[at])
}

/// Which stream a path is, if it is one.
pub(super) fn stream(path: &Path) -> Option<Stream> {
    KEPT.get()?;
    if path.as_os_str() == "-" {
        return Some(fs::metadata("/dev/stdin").map_or(Stream::Input, |meta| numbers(&meta)));
    }
    let meta = fs::metadata(path).ok()?;
    is_pipe(meta.file_type()).then(|| numbers(&meta))
}

#[cfg(unix)]
fn numbers(meta: &fs::Metadata) -> Stream {
    use std::os::unix::fs::MetadataExt;
    Stream::Pipe(meta.dev(), meta.ino())
}

#[cfg(not(unix))]
fn numbers(_: &fs::Metadata) -> Stream {
    Stream::Input
}

#[cfg(unix)]
fn is_pipe(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() || kind.is_socket()
}

#[cfg(not(unix))]
fn is_pipe(_: FileType) -> bool {
    false
}

/// The kept content of a stream, which the first call waits for.
pub(super) fn content(stream: Stream, path: &Path) -> io::Result<Arc<File>> {
    let Some(all) = KEPT.get() else { return Err(io::ErrorKind::Unsupported.into()) };
    let kept =
        all.lock().unwrap_or_else(PoisonError::into_inner).entry(stream).or_default().clone();
    let told = |error: io::Error| (error.kind(), error.to_string());
    let content = kept.get_or_init(|| keep(path).map(Arc::new).map_err(told));
    content.clone().map_err(|(kind, text)| io::Error::new(kind, text))
}

fn keep(path: &Path) -> io::Result<File> {
    let failed = |error: io::Error| {
        let folder = std::env::temp_dir();
        let text = format!("{error}, while keeping the data in {}", folder.display());
        io::Error::new(error.kind(), text)
    };
    let mut file = tempfile::tempfile().map_err(failed)?;
    if path.as_os_str() == "-" {
        let input = io::stdin();
        if input.is_terminal() {
            let text = "standard input is a terminal: pipe data into it";
            return Err(io::Error::new(io::ErrorKind::WouldBlock, text));
        }
        io::copy(&mut input.lock(), &mut file).map_err(failed)?;
    } else {
        io::copy(&mut File::open(path)?, &mut file).map_err(failed)?;
    }
    file.flush().map_err(failed)?;
    Ok(file)
}
