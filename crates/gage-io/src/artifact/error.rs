//! Why a file could not be written.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a file could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system refused.
    #[error("{}: cannot write: {source}", path.display())]
    Io {
        /// the file
        path: PathBuf,
        /// message of the system
        source: io::Error,
    },
    /// The operating system refused to write to standard output.
    #[error("standard output: cannot write: {0}")]
    Stdout(#[source] io::Error),
    /// The output is one of the inputs, or would become part of a folder that is one.
    #[error("{}: the output would replace or join the input {input}", path.display())]
    ReplacesInput {
        /// the output
        path: PathBuf,
        /// the input
        input: String,
    },
    /// Two outputs of one run have the same path.
    #[error("{}: two outputs go to this file", path.display())]
    ClaimedTwice {
        /// the output
        path: PathBuf,
    },
    /// A format that cannot be written to a pipe or device.
    #[error("this format needs a regular file as its output")]
    NeedsFile,
    /// The extension stands for no format of embeddings.
    #[error("{}: found no known extension for an embedding", path.display())]
    UnknownFormat {
        /// the output
        path: PathBuf,
    },
    /// The extension stands for no format of links.
    #[error("{}: links cannot be written like this", path.display())]
    UnknownLinkFormat {
        /// the output
        path: PathBuf,
    },
    /// Parquet, in a build without it.
    #[error("{}: this build cannot write Parquet", path.display())]
    NoParquet {
        /// the output
        path: PathBuf,
    },
    /// An id the format cannot hold.
    #[error("node id {id:?} holds a blank or line end, which this format cannot")]
    Id {
        /// the id
        id: String,
    },
    /// Another error of the writer of a format.
    #[error("{}: cannot write: {message}", path.display())]
    Format {
        /// the output
        path: PathBuf,
        /// what it says
        message: String,
    },
}
