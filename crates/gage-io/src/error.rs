//! Why a file could not be read: which file, where in it, what was found, what was expected, what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Where in a file something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of text, counted from 1.
    Line(u64),
    /// A line and a column of a text table, both counted from 1.
    Cell(u64, Box<str>),
    /// An offset in bytes, counted from 0.
    Byte(u64),
    /// A named part: an array in an archive, a variable, a row.
    Entry(Box<str>),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => f.write_str("whole file"),
            Place::Line(line) => write!(f, "line {line}"),
            Place::Cell(line, column) => write!(f, "line {line}, column {column}"),
            Place::Byte(at) => write!(f, "byte {at}"),
            Place::Entry(name) => f.write_str(name),
        }
    }
}

impl Place {
    pub(crate) fn entry(name: impl Into<String>) -> Place {
        Place::Entry(name.into().into())
    }
}

/// Why a file could not be read. Every message names the file, the place, what was found, what was expected and what
/// to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// No file of that name.
    #[error("{}: found no such file or folder, expected {expected}; check the path and the working directory", path.display())]
    Missing {
        /// the path
        path: PathBuf,
        /// what should be there
        expected: Box<str>,
    },
    /// A folder or a device where a file is needed, or a file where a folder is needed.
    #[error("{}: found {found}, expected {expected}; {remedy}", path.display())]
    WrongKind {
        /// the path
        path: PathBuf,
        /// what it is
        found: Box<str>,
        /// what was needed
        expected: Box<str>,
        /// what to do
        remedy: Box<str>,
    },
    /// A file without content.
    #[error("{}: whole file: found nothing in it, expected {expected}; write the file again or leave it out", path.display())]
    Empty {
        /// the path
        path: PathBuf,
        /// what should be in it
        expected: Box<str>,
    },
    /// The operating system refused.
    #[error("{}: {place}: found a read error ({source}), expected readable data; check permissions and the disk", path.display())]
    Io {
        /// the path
        path: PathBuf,
        /// where reading stopped
        place: Place,
        /// what the system said
        source: io::Error,
    },
    /// The file ends too early, or its compressed data are damaged.
    #[error("{}: {place}: found {found}, expected {expected}; the file is truncated or damaged, copy or download it again", path.display())]
    Damaged {
        /// the path
        path: PathBuf,
        /// where
        place: Place,
        /// what was found
        found: Box<str>,
        /// what was expected
        expected: Box<str>,
    },
    /// The content is not what the format asks for.
    #[error("{}: {place}: found {found}, expected {expected}; {remedy}", path.display())]
    Malformed {
        /// the path
        path: PathBuf,
        /// where
        place: Place,
        /// what was found
        found: Box<str>,
        /// what was expected
        expected: Box<str>,
        /// what to do
        remedy: Box<str>,
    },
    /// A correct file in a form that is not supported.
    #[error("{}: {place}: found {found}, which is not supported, expected {expected}; {remedy}", path.display())]
    Unsupported {
        /// the path
        path: PathBuf,
        /// where
        place: Place,
        /// what was found
        found: Box<str>,
        /// what is supported
        expected: Box<str>,
        /// what to do
        remedy: Box<str>,
    },
    /// The file claims to be larger than it can be, or than this library reads.
    #[error("{}: {place}: found a claim of {found}, expected {expected}; {remedy}", path.display())]
    TooLarge {
        /// the path
        path: PathBuf,
        /// where
        place: Place,
        /// what the file claims
        found: Box<str>,
        /// the bound
        expected: Box<str>,
        /// what to do
        remedy: Box<str>,
    },
    /// NaN or an infinity where a finite number is needed.
    #[error("{}: {place}: found {found}, expected a finite number; {remedy}", path.display())]
    NotFinite {
        /// the path
        path: PathBuf,
        /// where
        place: Place,
        /// the value
        found: Box<str>,
        /// what to do
        remedy: Box<str>,
    },
    /// An index outside the matrix, or one that is no index.
    #[error("{}: {place}: found index {found}, expected {expected}; {remedy}", path.display())]
    Index {
        /// the path
        path: PathBuf,
        /// where
        place: Place,
        /// the index
        found: Box<str>,
        /// the range
        expected: Box<str>,
        /// what to do
        remedy: Box<str>,
    },
    /// One id for two rows.
    #[error("{}: {second}: found id `{id}` again, first on {first}, expected each id once; remove or rename one of the two", path.display())]
    DuplicateId {
        /// the path
        path: PathBuf,
        /// the id
        id: Box<str>,
        /// where it stands first
        first: Place,
        /// where it stands again
        second: Place,
    },
    /// Two files that do not fit together.
    #[error("{} and {}: found {found}, expected {expected}; {remedy}", first.display(), second.display())]
    Mismatch {
        /// one file
        first: PathBuf,
        /// the other
        second: PathBuf,
        /// what was found
        found: Box<str>,
        /// what was expected
        expected: Box<str>,
        /// what to do
        remedy: Box<str>,
    },
}

impl ReadError {
    /// The file the error is about.
    pub fn path(&self) -> &Path {
        match self {
            ReadError::Missing { path, .. }
            | ReadError::WrongKind { path, .. }
            | ReadError::Empty { path, .. }
            | ReadError::Io { path, .. }
            | ReadError::Damaged { path, .. }
            | ReadError::Malformed { path, .. }
            | ReadError::Unsupported { path, .. }
            | ReadError::TooLarge { path, .. }
            | ReadError::NotFinite { path, .. }
            | ReadError::Index { path, .. }
            | ReadError::DuplicateId { path, .. }
            | ReadError::Mismatch { first: path, .. } => path,
        }
    }

    pub(crate) fn malformed(
        path: &Path,
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
        remedy: impl Into<String>,
    ) -> ReadError {
        let (path, found) = (path.to_owned(), found.into().into());
        ReadError::Malformed {
            path,
            place,
            found,
            expected: expected.into().into(),
            remedy: remedy.into().into(),
        }
    }

    pub(crate) fn unsupported(
        path: &Path,
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
        remedy: impl Into<String>,
    ) -> ReadError {
        let (path, found) = (path.to_owned(), found.into().into());
        ReadError::Unsupported {
            path,
            place,
            found,
            expected: expected.into().into(),
            remedy: remedy.into().into(),
        }
    }

    pub(crate) fn too_large(
        path: &Path,
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
        remedy: impl Into<String>,
    ) -> ReadError {
        let (path, found) = (path.to_owned(), found.into().into());
        ReadError::TooLarge {
            path,
            place,
            found,
            expected: expected.into().into(),
            remedy: remedy.into().into(),
        }
    }

    pub(crate) fn index(
        path: &Path,
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
        remedy: impl Into<String>,
    ) -> ReadError {
        let (path, found) = (path.to_owned(), found.into().into());
        ReadError::Index {
            path,
            place,
            found,
            expected: expected.into().into(),
            remedy: remedy.into().into(),
        }
    }

    pub(crate) fn damaged(
        path: &Path,
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> ReadError {
        let path = path.to_owned();
        ReadError::Damaged {
            path,
            place,
            found: found.into().into(),
            expected: expected.into().into(),
        }
    }

    pub(crate) fn mismatch(
        first: &Path,
        second: &Path,
        found: impl Into<String>,
        expected: impl Into<String>,
        remedy: impl Into<String>,
    ) -> ReadError {
        ReadError::Mismatch {
            first: first.to_owned(),
            second: second.to_owned(),
            found: found.into().into(),
            expected: expected.into().into(),
            remedy: remedy.into().into(),
        }
    }

    pub(crate) fn not_finite(
        path: &Path,
        place: Place,
        found: impl ToString,
        remedy: impl Into<String>,
    ) -> ReadError {
        let found = found.to_string().into();
        ReadError::NotFinite { path: path.to_owned(), place, found, remedy: remedy.into().into() }
    }

    /// Sorts an error of a read by its cause: an early end or damaged compression is the file's fault, the rest the
    /// system's.
    pub(crate) fn from_io(path: &Path, place: Place, source: io::Error) -> ReadError {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => {
                ReadError::damaged(path, place, "the end of the data", "more data")
            }
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::Other => {
                ReadError::damaged(path, place, format!("bad data ({source})"), "intact data")
            }
            io::ErrorKind::FileTooLarge => {
                let expected = "a file that expands to at most 1 GiB plus 200 times its size";
                let remedy = "this may be a decompression bomb; if it is not, decompress it first";
                ReadError::too_large(path, place, source.to_string(), expected, remedy)
            }
            _ => ReadError::Io { path: path.to_owned(), place, source },
        }
    }
}

/// A short, printable form of what was found, for messages.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST)]);
    let mut short: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().count() > LONGEST || bytes.len() > 4 * LONGEST {
        short.push('…');
    }
    format!("`{short}`")
}
