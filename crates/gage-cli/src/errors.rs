//! From any failure to one line for people, one for help, and an exit code for scripts.

use std::fmt;
use std::io::Write;
use std::process::ExitCode;

use gage_baselines::Error as RivalError;
use gage_embed::Error as FitError;
use gage_embed::eval::EvalError;
use gage_embed::io::{ModelFileError, ReadError};

/// What the process says to the shell. The numbers are documented and do not change.
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
    /// Ctrl-C.
    Interrupted = 130,
}

/// The table of exit codes, for `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    other failure
  2    usage: the command line does not make sense
  3    an input cannot be read (missing, damaged, wrong format)
  4    inputs do not fit (dimensions, ids, views, unknown node)
  5    an output cannot be written (permissions, full disk, output equal to input)
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
pub(crate) fn finish(outcome: anyhow::Result<()>, json: bool) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    let failure = classify(error);
    let code = failure.exit as u8;
    let text = if json {
        let object = serde_json::json!({
            "error": failure.message, "help": failure.help, "exit_code": code,
        });
        format!("{object}\n")
    } else {
        let help = failure.help.map(|help| format!("help: {help}\n")).unwrap_or_default();
        format!("error: {}\n{help}", failure.message)
    };
    // Nobody is left to tell when standard error is gone too.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
    ExitCode::from(code)
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
    if let Some(rival) = error.downcast_ref::<RivalError>() {
        return from_rival(rival);
    }
    if let Some(model) = error.downcast_ref::<ModelFileError>() {
        let (message, help) = at_last_semicolon(&model.to_string());
        let help = help.unwrap_or_else(|| "check the path and its permissions".to_owned());
        return Failure::new(Exit::Input, message).help(help);
    }
    Failure::new(Exit::Other, format!("{error:#}"))
}

/// A message of the readers ends in what to do.
fn from_read(error: &ReadError) -> Failure {
    let exit = match error {
        ReadError::Index { .. } | ReadError::DuplicateId { .. } | ReadError::Mismatch { .. } => {
            Exit::Misfit
        }
        _ => Exit::Input,
    };
    let remedy = match error {
        ReadError::WrongKind { remedy, .. }
        | ReadError::Malformed { remedy, .. }
        | ReadError::Unsupported { remedy, .. }
        | ReadError::TooLarge { remedy, .. }
        | ReadError::NotFinite { remedy, .. }
        | ReadError::Index { remedy, .. }
        | ReadError::Mismatch { remedy, .. } => Some(remedy.clone()),
        _ => None,
    };
    let text = error.to_string();
    if let Some(remedy) = remedy
        && let Some(message) = text.strip_suffix(&format!("; {remedy}"))
    {
        return Failure::new(exit, message).help(remedy);
    }
    let (message, help) = at_last_semicolon(&text);
    Failure { exit, message, help }
}

fn from_fit(error: &FitError) -> Failure {
    let (message, help) = at_last_semicolon(&error.to_string());
    let (exit, remedy) = match error {
        FitError::Cancelled { .. } => return Failure::interrupted(),
        FitError::Parameter { .. } => (Exit::Usage, "see --help for the range of each option"),
        FitError::Shares { .. } => (Exit::Usage, "give --shares as numbers such as 0.3,1,0.3"),
        FitError::PerView { .. } => (Exit::Usage, "give one number per view, in this order"),
        FitError::UnknownPreset { .. } => (Exit::Usage, "choose one of these with --preset"),
        FitError::Dimension { .. } => (Exit::Misfit, "ask for fewer columns with --dim"),
        FitError::TooFewNodes { .. } => (Exit::Misfit, "check that the right file was given"),
        FitError::NothingToEmbed { .. } => {
            (Exit::Misfit, "check the files: are all rows equal, or all of them empty?")
        }
        FitError::NotFinite { .. } => (Exit::Misfit, "try --precision f64, or rescale the input"),
        FitError::NoLoadings => (Exit::Misfit, "make the model again with `gage embed --model`"),
        FitError::NewNodes { .. } => (Exit::Misfit, "give the files the model was made from"),
        _ => (Exit::Misfit, "`gage info` shows how the files were understood"),
    };
    Failure::new(exit, message).help(help.unwrap_or_else(|| remedy.to_owned()))
}

fn from_eval(error: &EvalError) -> Failure {
    let (message, help) = at_last_semicolon(&error.to_string());
    let (exit, remedy) = match error {
        EvalError::Cancelled => return Failure::interrupted(),
        EvalError::Fit(fit) => return from_fit(fit),
        EvalError::Parameter { .. } => (Exit::Usage, "see --help for the range of each option"),
        EvalError::NoClusterCount => {
            return Failure::usage("without --labels nothing says how many clusters there are")
                .help("give their number with --clusters, or classes with --labels");
        }
        EvalError::NoLinks { .. } => {
            return Failure::misfit(error.to_string())
                .help("give links with --graph, and choose among relations with --block");
        }
        EvalError::SeveralLabels { .. } => {
            (Exit::Misfit, "clusters are compared with one class per node; give such labels")
        }
        EvalError::TooFew { .. } => {
            (Exit::Misfit, "check that the right labels were given; `gage info` counts them")
        }
        _ => (Exit::Misfit, "`gage info` shows how the files were understood"),
    };
    let help = help.filter(|_| !matches!(error, EvalError::SeveralLabels { .. }));
    Failure::new(exit, message).help(help.unwrap_or_else(|| remedy.to_owned()))
}

fn from_rival(error: &RivalError) -> Failure {
    let (message, help) = at_last_semicolon(&error.to_string());
    let exit = match error {
        RivalError::Cancelled => return Failure::interrupted(),
        RivalError::UnknownMethod { .. } | RivalError::Parameter { .. } => Exit::Usage,
        _ => Exit::Misfit,
    };
    let remedy = || "`gage info` shows how the files were understood".to_owned();
    Failure::new(exit, message).help(help.unwrap_or_else(remedy))
}

pub(crate) fn at_last_semicolon(text: &str) -> (String, Option<String>) {
    match text.rsplit_once("; ") {
        Some((message, help)) => (message.to_owned(), Some(help.to_owned())),
        None => (text.to_owned(), None),
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
    fn a_message_is_split_before_its_remedy() {
        let (message, help) = at_last_semicolon("a: found b; c; do d");
        assert_eq!((message.as_str(), help.as_deref()), ("a: found b; c", Some("do d")));
        assert_eq!(at_last_semicolon("plain"), ("plain".to_owned(), None));
    }

    #[test]
    fn library_errors_get_the_documented_codes() {
        let dimension = FitError::Dimension { most: 3, found: 9 };
        assert_eq!(classify(dimension.into()).exit, Exit::Misfit);
        let preset = FitError::UnknownPreset { name: "x".into(), known: "y".into() };
        assert_eq!(classify(preset.into()).exit, Exit::Usage);
        let cancelled = FitError::Cancelled { stage: gage_embed::Stage::Basis };
        assert_eq!(classify(cancelled.into()).exit, Exit::Interrupted);
        assert_eq!(classify(anyhow::anyhow!("else")).exit, Exit::Other);
    }
}
