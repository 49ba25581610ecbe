//! The index file beside a model or an embedding.

use std::path::{Path, PathBuf};

use gage_embed::io::ids_path;
use gage_embed::search::IndexError;

use crate::args::{LambdaArgs, Metric};
use crate::errors::{Exit, Failure};

/// The files that rows and ids come from.
pub(crate) fn files(path: &Path) -> Vec<PathBuf> {
    let npy = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
    let ids = Some(ids_path(path)).filter(|ids| npy && ids.exists());
    [path.to_owned()].into_iter().chain(ids).collect()
}

/// Where the index for these shares and this metric is by default: `M.gage.index`,
/// `M.gage.lambda-0.3.index`, `M.gage.distance.index`.
pub(crate) fn beside(path: &Path, lambda: &LambdaArgs, metric: Metric) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    if let Some(lambda) = lambda.lambda {
        name.push(format!(".lambda-{lambda}"));
    }
    if let Some(shares) = &lambda.shares {
        name.push(".shares");
        shares.iter().for_each(|share| name.push(format!("-{share}")));
    }
    if metric == Metric::Distance {
        name.push(".distance");
    }
    name.push(".index");
    path.with_file_name(name)
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
