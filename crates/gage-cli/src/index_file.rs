//! The index file beside a model or an embedding.

use std::path::{Path, PathBuf};

use gage_embed::search::{IndexError, index_path};

use crate::args::{LambdaArgs, Metric};
use crate::errors::{Exit, Failure};

/// Where the index for these shares and this metric is by default.
pub(crate) fn beside(path: &Path, lambda: &LambdaArgs, metric: Metric) -> PathBuf {
    index_path(path, &lambda.lambda(), metric.into())
}

/// An error of an index, with its path and its exit code.
pub(crate) fn failure(path: &Path, error: &IndexError) -> Failure {
    let exit = match error {
        IndexError::Foreign { .. }
        | IndexError::Range { .. }
        | IndexError::Nothing { .. }
        | IndexError::TooMany { .. } => Exit::Misfit,
        _ => Exit::Input,
    };
    let message = format!("{}: {error}", path.display());
    Failure::of(exit, &message, Some(&error.hint()))
}
