//! Where data are from, and a place in them.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where data are from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A file or a folder.
    File(PathBuf),
    /// Data that a program holds in memory, by the name it gave them.
    Memory(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(path) => path.display().fmt(f),
            Origin::Memory(name) => f.write_str(name),
        }
    }
}

impl From<&Path> for Origin {
    fn from(path: &Path) -> Origin {
        Origin::File(path.to_owned())
    }
}

impl From<&PathBuf> for Origin {
    fn from(path: &PathBuf) -> Origin {
        Origin::File(path.clone())
    }
}

impl From<&Origin> for Origin {
    fn from(origin: &Origin) -> Origin {
        origin.clone()
    }
}

/// Where in a file or a table something stands.
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
