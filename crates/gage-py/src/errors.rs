//! Errors of the library as Python exceptions, with the library's messages.

use gage_embed::eval::EvalError;
use gage_embed::io::{ModelFileError, NewDataError, ReadError};
use gage_embed::{Error, GraphError, NodesError, SparseError};
use pyo3::PyErr;
use pyo3::exceptions::{
    PyFileNotFoundError, PyIndexError, PyKeyError, PyKeyboardInterrupt, PyOSError, PyRuntimeError,
    PyValueError,
};

/// Anything that can go wrong between two Python calls.
#[derive(Debug)]
pub(crate) enum Fault {
    /// What was given does not make sense.
    Value(String),
    /// A file is not there.
    NotFound(String),
    /// A file cannot be read or written.
    Os(String),
    /// Somebody asked to stop.
    Stopped,
    /// There is no node of that name.
    Key(String),
    /// There is no node at that position.
    Index(String),
    /// A mistake of this library.
    Internal(String),
}

/// Remedies that name flags of the command line, in words of Python.
const FLAGS: [(&str, &str); 6] = [
    ("--directed out, in or both", "directed='out', 'in' or 'both'"),
    ("--directed no", "directed=False"),
    ("--id-column NAME", "id_column=NAME"),
    ("or that the rows are in order (--no-ids)", "or give the rows without it"),
    // Data in memory go through the words of files.
    ("links: whole file: ", "links: "),
    ("attributes: whole file: ", "attributes: "),
];

/// A message of the library for people who write Python.
pub(crate) fn in_python(text: &str) -> String {
    FLAGS.iter().fold(text.to_owned(), |text, (flag, words)| text.replace(flag, words))
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> PyErr {
        match fault {
            Fault::Value(text) => PyValueError::new_err(in_python(&text)),
            Fault::NotFound(text) => PyFileNotFoundError::new_err(text),
            Fault::Os(text) => PyOSError::new_err(text),
            Fault::Stopped => PyKeyboardInterrupt::new_err("stopped"),
            Fault::Key(text) => PyKeyError::new_err(text),
            Fault::Index(text) => PyIndexError::new_err(text),
            Fault::Internal(text) => PyRuntimeError::new_err(format!(
                "gage_embed failed where it should not: {text}; please report it with the data"
            )),
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        match error {
            Error::Cancelled { .. } => Fault::Stopped,
            other => Fault::Value(other.to_string()),
        }
    }
}

impl From<EvalError> for Fault {
    fn from(error: EvalError) -> Fault {
        match error {
            EvalError::Cancelled => Fault::Stopped,
            EvalError::Fit(error) => error.into(),
            other => Fault::Value(other.to_string()),
        }
    }
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Fault {
        match error {
            ReadError::Missing { .. } => Fault::NotFound(error.to_string()),
            ReadError::Io { .. } => Fault::Os(error.to_string()),
            other => Fault::Value(other.to_string()),
        }
    }
}

impl From<ModelFileError> for Fault {
    fn from(error: ModelFileError) -> Fault {
        match &error {
            ModelFileError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                Fault::NotFound(error.to_string())
            }
            ModelFileError::Io { .. } => Fault::Os(error.to_string()),
            _ => Fault::Value(error.to_string()),
        }
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Fault {
        Fault::Os(error.to_string())
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Fault {
        Fault::Value(format!("parameters: {error}"))
    }
}

macro_rules! value_errors {
    ($($error:ty),*) => {$(
        impl From<$error> for Fault {
            fn from(error: $error) -> Fault {
                Fault::Value(error.to_string())
            }
        }
    )*};
}

value_errors!(GraphError, NodesError, SparseError, NewDataError);
