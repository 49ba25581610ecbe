//! Converts any error to a message, a line of help and an exit code.

use std::borrow::Cow;
use std::fmt;
use std::io::ErrorKind::OutOfMemory;
use std::io::Write;

use gage_baselines::Error as BaselineError;
use gage_embed::eval::EvalError;
use gage_embed::io::{ModelFileError, Note, ReadError, ReadErrorKind, WriteError};
use gage_embed::{Artifact, Error as FitError, Hint};
use gage_explorer::ExplorerError;
use serde::Serialize;

use crate::output::Output;

/// Exit codes of the process. The numbers are documented and do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Anything without a number of its own.
    Other = 1,
    /// The command line does not make sense.
    Usage = 2,
    /// An input cannot be read.
    Input = 3,
    /// Inputs were read but do not fit: dimensions, ids, views.
    Misfit = 4,
    /// An output cannot be written.
    Output = 5,
    /// Memory ran out.
    Memory = 6,
    /// Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// What to do where an error names no remedy.
    fn default_help(self) -> &'static str {
        match self {
            Exit::Usage => "see --help for the range of each option",
            Exit::Memory => LESS_MEMORY,
            Exit::Misfit => "`gage info` shows how the files were understood",
            _ => "check the path and its permissions",
        }
    }
}

/// What to do without enough memory.
pub(crate) const LESS_MEMORY: &str = "`gage embed --max-memory SIZE` keeps large blocks of a fit \
    in files; fewer columns (--dim) and mapped data (`gage convert --mapped`) take less";

/// The table of exit codes, for `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    other failure
  2    usage: the command line does not make sense
  3    an input cannot be read (missing, damaged, wrong format)
  4    inputs do not fit (dimensions, ids, views, unknown node)
  5    an output cannot be written (permissions, full disk, output equal to input)
  6    memory ran out, or threads could not be started
  130  interrupted (Ctrl-C); no output was left half-written";

/// A failure that already knows its exit code and what to do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    help: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure { exit, message: message.into(), help: None }
    }

    /// A failure of a library, with its remedy in the words of the command.
    pub(crate) fn of(exit: Exit, error: &dyn fmt::Display, hint: Option<&Hint>) -> Failure {
        let help = hint.map_or_else(|| exit.default_help().to_owned(), in_words);
        Failure::new(exit, error.to_string()).help(help)
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Failure {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Exit::Usage, message)
    }

    pub(crate) fn misfit(message: impl Into<String>) -> Failure {
        Failure::new(Exit::Misfit, message)
    }

    pub(crate) fn interrupted() -> Failure {
        Failure::new(Exit::Interrupted, "interrupted").help("nothing was written; run it again")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// Reports the outcome and turns it into an exit code.
pub(crate) fn finish(outcome: anyhow::Result<()>, out: &Output) -> u8 {
    outcome.map_or_else(|error| report(classify(error), out), |()| 0)
}

/// What a failure adds to the envelope of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    error: &'a str,
    help: Option<&'a str>,
    exit_code: u8,
}

/// Writes a failure to standard error.
pub(crate) fn report(failure: Failure, out: &Output) -> u8 {
    let (code, Failure { message, help, .. }) = (failure.exit as u8, &failure);
    let object = Report { error: message, help: help.as_deref(), exit_code: code };
    let text = match out.failure(&object) {
        Ok(json) if out.is_json() => format!("{json}\n"),
        _ => {
            let help = help.as_ref().map(|help| format!("help: {help}\n")).unwrap_or_default();
            format!("error: {message}\n{help}")
        }
    };
    // Nothing can be reported when standard error is closed too.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
    code
}

fn classify(error: anyhow::Error) -> Failure {
    let error = match error.downcast::<Failure>() {
        Ok(failure) => return failure,
        Err(other) => other,
    };
    if let Some(read) = error.downcast_ref::<ReadError>() {
        return from_read(read);
    }
    if let Some(fit) = error.downcast_ref::<FitError>() {
        return from_fit(fit);
    }
    if let Some(eval) = error.downcast_ref::<EvalError>() {
        return from_eval(eval);
    }
    if let Some(baseline) = error.downcast_ref::<BaselineError>() {
        return from_baseline(baseline);
    }
    if let Some(explorer) = error.downcast_ref::<ExplorerError>() {
        return from_explorer(explorer);
    }
    if let Some(model) = error.downcast_ref::<ModelFileError>() {
        return Failure::of(Exit::Input, model, Some(&model.hint()));
    }
    if let Some(write) = error.downcast_ref::<WriteError>() {
        return from_write(write);
    }
    Failure::new(Exit::Other, format!("{error:#}"))
}

fn from_write(error: &WriteError) -> Failure {
    let (exit, help) = match error {
        WriteError::Io { path, source } => return cannot_write(path, source),
        WriteError::Stdout(_) => (Exit::Output, "check where the output goes"),
        WriteError::ReplacesInput { .. } => (Exit::Output, "choose another name with -o"),
        WriteError::ClaimedTwice { .. } => (Exit::Output, "give them different names"),
        WriteError::NeedsFile => (Exit::Output, "name a file with -o"),
        WriteError::UnknownFormat { .. } => (
            Exit::Usage,
            "end the name in .npy, .npz, .csv, .tsv, .parquet, .safetensors, .txt or .bin \
             (word2vec), or use --format",
        ),
        WriteError::UnknownLinkFormat { .. } => (
            Exit::Usage,
            "end the name in .npz, .csr, .mtx, .csv or .tsv; without extension it is a folder; \
             for standard output say --format csv, tsv or npz",
        ),
        WriteError::NoParquet { .. } => (
            Exit::Usage,
            "build with `cargo install gage-cli --features parquet`, or write .csv or .npy",
        ),
        WriteError::Id { .. } => (Exit::Misfit, "write .csv, .npz or .safetensors instead"),
        _ => return Failure::of(Exit::Output, error, None),
    };
    Failure::new(exit, error.to_string()).help(help)
}

fn from_read(error: &ReadError) -> Failure {
    let exit = match error.kind() {
        ReadErrorKind::Index
        | ReadErrorKind::DuplicateId { .. }
        | ReadErrorKind::Mismatch { .. } => Exit::Misfit,
        ReadErrorKind::Io(source) if source.kind() == OutOfMemory => Exit::Memory,
        _ => Exit::Input,
    };
    Failure::of(exit, error, Some(error.hint()))
}

fn from_fit(error: &FitError) -> Failure {
    let exit = match error {
        FitError::Cancelled { .. } => return Failure::interrupted(),
        FitError::OutOfMemory { .. } => Exit::Memory,
        FitError::Parameter { .. }
        | FitError::Threads { .. }
        | FitError::Shares { .. }
        | FitError::PerView { .. }
        | FitError::UnknownPreset { .. } => Exit::Usage,
        _ => Exit::Misfit,
    };
    Failure::of(exit, error, error.hint().as_ref())
}

fn from_eval(error: &EvalError) -> Failure {
    let exit = match error {
        EvalError::Cancelled => return Failure::interrupted(),
        EvalError::Fit(fit) => return from_fit(fit),
        EvalError::Parameter { .. } | EvalError::NoClusterCount => Exit::Usage,
        _ => Exit::Misfit,
    };
    Failure::of(exit, error, error.hint().as_ref())
}

fn from_baseline(error: &BaselineError) -> Failure {
    let exit = match error {
        BaselineError::Cancelled => return Failure::interrupted(),
        BaselineError::OutOfMemory(_) | BaselineError::Memory { .. } => Exit::Memory,
        BaselineError::UnknownMethod { .. }
        | BaselineError::UnknownVariant { .. }
        | BaselineError::Parameter { .. } => Exit::Usage,
        _ => Exit::Misfit,
    };
    Failure::of(exit, error, error.hint().as_ref())
}

fn from_explorer(error: &ExplorerError) -> Failure {
    let exit = match error {
        ExplorerError::Model(fit) => return from_fit(fit),
        ExplorerError::OtherNodes { .. } | ExplorerError::TooManyNodes { .. } => Exit::Misfit,
        ExplorerError::Listen { .. } => {
            let help = "choose another with --port, or leave it out to take a free one";
            return Failure::new(Exit::Other, error.to_string()).help(help);
        }
        _ => Exit::Other,
    };
    Failure::of(exit, error, error.hint().as_ref())
}

/// A remark on how data were understood, with its remedy.
pub(crate) fn remark(note: &Note) -> String {
    match &note.hint {
        Some(hint) => format!("{note}; {}", in_words(hint)),
        None => note.to_string(),
    }
}

/// A remedy in the words of the command: its flags and subcommands.
pub(crate) fn in_words(hint: &Hint) -> String {
    let words = match hint {
        Hint::CheckData => "check that the right file was given",
        Hint::CheckLabels => "check that the right labels were given; `gage info` counts them",
        Hint::FittedData => "give the files the model was made from",
        Hint::FewerColumns { .. } => "ask for fewer columns with --dim",
        Hint::Shares => "give --shares as numbers such as 0.3,1,0.3",
        Hint::OtherEnd { lambda } => {
            return format!("use --lambda {lambda}, or --shares, or neither");
        }
        Hint::ClusterCount => "give their number with --clusters, or classes with --labels",
        Hint::ChooseLinks => "give links with --graph, and choose among relations with --block",
        Hint::Direction => "for links with a direction say --directed out, in or both",
        Hint::Align => "--align id joins by id, --align position in the order of the rows",
        Hint::IdSpelling => "--ids fold-case takes them for one node, --ids exact for several",
        Hint::IdColumn => {
            "say which column holds the ids (--id-column NAME), \
             or that the rows are in order (--no-ids)"
        }
        Hint::ColumnKind { column, kinds } => {
            let of_each = |kind| format!("--column {}", quoted(&format!("{column}={kind}")));
            let said: Vec<String> = kinds.split(" or ").map(of_each).collect();
            return format!("otherwise say {}", said.join(" or "));
        }
        Hint::PossibleLabel(column) => {
            let column = quoted(column);
            return format!(
                "say --label-column {column} or --ignore {column} if you will evaluate by it, \
                 --column {column}=category if not"
            );
        }
        Hint::LinkEnds => "say which columns hold the ends: --source NAME --target NAME",
        Hint::Header => "say --header yes if it names the columns, --header no if it is data",
        Hint::LabelColumn => "say which column holds the labels: --label-column NAME",
        Hint::WeightColumn(column) => {
            return format!("if it holds weights say --weight-column {}", quoted(column));
        }
        Hint::LeaveRelationsOut => "leave the column of relations out with --ignore NAME",
        Hint::HalfLife => "to let old links weigh less say --half-life DAYS",
        Hint::GraphOrTable => "say --graph - for links, or --attributes - for a table",
        Hint::ThroughPython(function) => {
            return format!("the Python package gage_embed takes what {function} reads");
        }
        Hint::LessMemory => LESS_MEMORY,
        Hint::ExactSearch => "rescale the rows, or use `--exact`",
        Hint::Feature(name) => {
            return format!("build with --features {name}, or convert the file to .csv");
        }
        Hint::EmbedModel => "for a model use `gage reweight`",
        Hint::Expect(Artifact::Embedding) => "was the file written by `gage embed`, and whole?",
        Hint::Expect(artifact) => {
            return format!("expected a file written by {}", written_by(*artifact));
        }
        Hint::Rebuild(artifact) => return format!("make it again with {}", written_by(*artifact)),
        _ => return hint.to_string(),
    };
    words.to_owned()
}

/// A name as one word of a shell.
fn quoted(name: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "_-=.,:/".contains(c);
    if name.chars().all(plain) { name.into() } else { format!("'{name}'").into() }
}

/// The command that writes such a file.
fn written_by(artifact: Artifact) -> &'static str {
    match artifact {
        Artifact::Index => "`gage index`",
        Artifact::Csr => "`gage convert`",
        Artifact::Embedding => "`gage embed`",
        _ => "`gage embed --model`",
    }
}

/// Wraps a failure to write.
pub(crate) fn cannot_write(path: &std::path::Path, error: &std::io::Error) -> Failure {
    use std::io::ErrorKind;
    let help = match error.kind() {
        ErrorKind::NotFound => "the folder does not exist: create it first",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "choose another place with -o, or change the permissions of the folder"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free some space or choose another disk with -o; nothing was left behind"
        }
        ErrorKind::IsADirectory => "this is a folder: name a file in it",
        _ => "check the path and the disk",
    };
    Failure::new(Exit::Output, format!("{}: cannot write: {error}", path.display())).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_name_the_flags_of_the_command() {
        let dimension = classify(FitError::Dimension { most: 3, found: 9 }.into());
        assert_eq!(dimension.help.as_deref(), Some("ask for fewer columns with --dim"));
        let index = in_words(&Hint::Rebuild(Artifact::Index));
        assert_eq!(index, "make it again with `gage index`");
        let parameter = FitError::Parameter { name: "rank", value: "0".into(), bound: "positive" };
        assert!(classify(parameter.into()).help.is_some_and(|help| help.contains("--help")));
    }

    #[test]
    fn library_errors_get_the_documented_codes() {
        let dimension = FitError::Dimension { most: 3, found: 9 };
        assert_eq!(classify(dimension.into()).exit, Exit::Misfit);
        let preset = FitError::UnknownPreset { name: "x".into(), known: "y".into() };
        assert_eq!(classify(preset.into()).exit, Exit::Usage);
        let cancelled = FitError::Cancelled { stage: gage_embed::solver::Stage::Basis };
        assert_eq!(classify(cancelled.into()).exit, Exit::Interrupted);
        assert_eq!(classify(anyhow::anyhow!("else")).exit, Exit::Other);
    }
}
