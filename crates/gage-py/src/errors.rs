//! Errors of the library as Python exceptions, with remedies that name arguments of Python.

use std::fmt::Display;
use std::io::ErrorKind::NotFound;
use std::path::Path;

use gage_embed::eval::EvalError;
use gage_embed::graph::{GraphError, NodesError};
use gage_embed::io::{ModelFileError, NewDataError, ReadError, ReadErrorKind, WriteError};
use gage_embed::linalg::SparseError;
use gage_embed::linalg::memory::OutOfMemory;
use gage_embed::search::IndexError;
use gage_embed::{Artifact, Error, Hint};
use pyo3::PyErr;
use pyo3::exceptions::{
    PyFileNotFoundError, PyIndexError, PyKeyError, PyKeyboardInterrupt, PyMemoryError, PyOSError,
    PyRuntimeError, PyValueError,
};

pyo3::create_exception!(
    _native,
    NothingToEmbedError,
    PyValueError,
    "Raised when all nodes look alike, so that the package can name the remedy for its input."
);

/// Anything that can go wrong between two Python calls.
#[derive(Debug)]
pub(crate) enum BindingError {
    /// What was given does not make sense.
    Value(String),
    /// All nodes look alike.
    NothingToEmbed(String),
    /// A file is not there.
    NotFound(String),
    /// A file cannot be read or written.
    Os(String),
    /// Memory ran out.
    Memory(String),
    /// The run was cancelled.
    Stopped,
    /// There is no node of that name.
    Key(String),
    /// There is no node at that position.
    Index(String),
    /// A mistake of this library.
    Internal(String),
}

impl BindingError {
    /// What is wrong with an index, or with the file it is made of.
    pub(crate) fn of_index(path: &Path, error: &IndexError) -> BindingError {
        let text = told(&format!("{}: {error}", path.display()), Some(&error.hint()));
        match error {
            IndexError::Io(source) if source.kind() == NotFound => BindingError::NotFound(text),
            IndexError::Io(_) => BindingError::Os(text),
            _ => BindingError::Value(text),
        }
    }
}

impl From<BindingError> for PyErr {
    fn from(fault: BindingError) -> PyErr {
        match fault {
            BindingError::Value(text) => PyValueError::new_err(text),
            BindingError::NothingToEmbed(text) => NothingToEmbedError::new_err(text),
            BindingError::NotFound(text) => PyFileNotFoundError::new_err(text),
            BindingError::Os(text) => PyOSError::new_err(text),
            BindingError::Memory(text) => PyMemoryError::new_err(text),
            BindingError::Stopped => PyKeyboardInterrupt::new_err("stopped"),
            BindingError::Key(text) => PyKeyError::new_err(text),
            BindingError::Index(text) => PyIndexError::new_err(text),
            BindingError::Internal(text) => PyRuntimeError::new_err(format!(
                "gage_embed failed where it should not: {text}; please report it with the data"
            )),
        }
    }
}

/// An error of the library and its remedy, in words of Python.
pub(crate) fn told(error: &dyn Display, hint: Option<&Hint>) -> String {
    match hint {
        Some(hint) => format!("{error}; {}", in_words(hint)),
        None => error.to_string(),
    }
}

/// A remedy in the words of the package: its keyword arguments and methods.
fn in_words(hint: &Hint) -> String {
    let words = match hint {
        Hint::FewerColumns { most } => {
            return format!("ask for n_components of at most {most}");
        }
        Hint::LessMemory => {
            "ask for fewer n_components, or use the command with `gage embed --max-memory`"
        }
        Hint::Shares => "give one number per view, as lam=[0.3, 1, 0.3]",
        Hint::OtherEnd { lambda } => {
            return format!("use lam={lambda}, or a share for each view, or neither");
        }
        Hint::ClusterCount => "give their number as `clusters`, or labels",
        Hint::Direction => "for links with a direction say directed='out', 'in' or 'both'",
        Hint::Align => "align='id' joins by id, align='position' in the order of the rows",
        Hint::IdSpelling => "ids='fold-case' takes them for one node, ids='exact' for several",
        Hint::IdColumn => {
            "say which column holds the ids (id_column=NAME), or give the rows without it"
        }
        Hint::ColumnKind { column, kinds } => {
            let of_each = |kind| format!("columns={{{column:?}: {kind:?}}}");
            let said: Vec<String> = kinds.split(" or ").map(of_each).collect();
            return format!("otherwise say {}", said.join(" or "));
        }
        Hint::PossibleLabel(column) => {
            return format!(
                "say ignore=[{column:?}] if you will evaluate by it, \
                 columns={{{column:?}: 'category'}} if not"
            );
        }
        Hint::LinkEnds => "say which columns hold the ends: source=NAME, target=NAME",
        Hint::Header => "say header=True if it names the columns, header=False if it is data",
        Hint::LabelColumn => "say which column holds the labels: label_column=NAME",
        Hint::WeightColumn(column) => {
            return format!("if it holds weights say weight={column:?}");
        }
        Hint::LeaveRelationsOut => "leave the column of relations out with ignore=[NAME]",
        Hint::HalfLife => "to let old links weigh less say half_life=DAYS",
        Hint::Feature(_) => "give the table as a frame, or convert the file to .csv",
        Hint::ExactSearch => "rescale the rows, or use `GAGE.similar`",
        Hint::Expect(Artifact::Index) => "expected a file written by `index`",
        Hint::Rebuild(Artifact::Index) => "make it again with `index`",
        Hint::Expect(Artifact::Model) => "expected a file written by `GAGE.save`",
        Hint::Rebuild(Artifact::ModelWithLoadings) => "fit again with `GAGE.fit`",
        _ => return hint.to_string(),
    };
    words.to_owned()
}

impl From<Error> for BindingError {
    fn from(error: Error) -> BindingError {
        match error {
            Error::Cancelled { .. } => BindingError::Stopped,
            Error::OutOfMemory { .. } => BindingError::Memory(told(&error, error.hint().as_ref())),
            Error::NothingToEmbed { .. } => {
                BindingError::NothingToEmbed(told(&error, error.hint().as_ref()))
            }
            _ => BindingError::Value(told(&error, error.hint().as_ref())),
        }
    }
}

impl From<OutOfMemory> for BindingError {
    fn from(error: OutOfMemory) -> BindingError {
        BindingError::Memory(told(&error, Some(&Hint::LessMemory)))
    }
}

impl From<EvalError> for BindingError {
    fn from(error: EvalError) -> BindingError {
        match error {
            EvalError::Cancelled => BindingError::Stopped,
            EvalError::Fit(error) => error.into(),
            other => BindingError::Value(told(&other, other.hint().as_ref())),
        }
    }
}

impl From<ReadError> for BindingError {
    fn from(error: ReadError) -> BindingError {
        let text = told(&error, Some(error.hint()));
        match error.kind() {
            ReadErrorKind::Missing => BindingError::NotFound(text),
            ReadErrorKind::Io(_) => BindingError::Os(text),
            _ => BindingError::Value(text),
        }
    }
}

impl From<WriteError> for BindingError {
    fn from(error: WriteError) -> BindingError {
        let text = error.to_string();
        match error {
            WriteError::Io { source, .. } if source.kind() == NotFound => {
                BindingError::NotFound(text)
            }
            WriteError::Io { .. } | WriteError::Stdout(_) => BindingError::Os(text),
            WriteError::UnknownFormat { .. } => BindingError::Value(format!(
                "{text}; end the name in .npy, .npz, .csv, .tsv, .parquet, .safetensors, .txt or \
                 .bin (word2vec)"
            )),
            WriteError::UnknownLinkFormat { .. } => BindingError::Value(format!(
                "{text}; end the name in .npz, .csr, .mtx, .csv or .tsv; without extension it is a \
                 folder"
            )),
            _ => BindingError::Value(text),
        }
    }
}

impl From<ModelFileError> for BindingError {
    fn from(error: ModelFileError) -> BindingError {
        let text = told(&error, Some(&error.hint()));
        match &error {
            ModelFileError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                BindingError::NotFound(text)
            }
            ModelFileError::Io { .. } => BindingError::Os(text),
            _ => BindingError::Value(text),
        }
    }
}

impl From<std::io::Error> for BindingError {
    fn from(error: std::io::Error) -> BindingError {
        BindingError::Os(error.to_string())
    }
}

impl From<serde_json::Error> for BindingError {
    fn from(error: serde_json::Error) -> BindingError {
        BindingError::Value(format!("parameters: {error}"))
    }
}

impl From<GraphError> for BindingError {
    fn from(error: GraphError) -> BindingError {
        BindingError::Value(told(&error, error.hint().as_ref()))
    }
}

impl From<NodesError> for BindingError {
    fn from(error: NodesError) -> BindingError {
        BindingError::Value(told(&error, Some(&error.hint())))
    }
}

impl From<SparseError> for BindingError {
    fn from(error: SparseError) -> BindingError {
        BindingError::Value(error.to_string())
    }
}

impl From<NewDataError> for BindingError {
    fn from(error: NewDataError) -> BindingError {
        BindingError::Value(told(&error, Some(&error.hint)))
    }
}
