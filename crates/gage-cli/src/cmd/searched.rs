//! What `similar` and `index` search: a model or an embedding file, and the index that stands beside it.

use std::path::{Path, PathBuf};

use gage_embed::search::{IndexError, Space};
use gage_embed::{AnyTall, Model, Nodes};

use super::Session;
use super::evaluate::check_finite;
use crate::args::{LambdaArgs, Metric, missing};
use crate::errors::{Exit, Failure};
use crate::progress::Spinner;
use gage_embed::io::ids_path;
use gage_embed::io::{is_model_file, read_embedding};

/// A model or an embedding, in memory.
pub(super) enum Searched {
    Model(Box<Model>),
    Embedding(Nodes, AnyTall),
}

impl Searched {
    /// Reads it, whatever file it is in.
    pub(super) fn read(
        path: &Path,
        lambda: &LambdaArgs,
        session: &Session,
    ) -> anyhow::Result<Searched> {
        if is_model_file(path) {
            return Ok(Searched::Model(Box::new(session.model(path)?)));
        }
        if !path.exists() {
            return Err(missing(path).into());
        }
        lambda.refuse_for_embedding(path)?;
        let spinner = Spinner::new(session.quiet, format!("reading {}", path.display()));
        let (nodes, numbers) = read_embedding(path)?;
        check_finite(path, &nodes, &numbers)?;
        drop(spinner);
        Ok(Searched::Embedding(nodes, numbers))
    }

    /// Its rows with the given shares.
    pub(super) fn space(&self, lambda: &LambdaArgs) -> anyhow::Result<Space<'_>> {
        Ok(match self {
            Searched::Model(model) => Space::of_model(model, &lambda.lambda())?,
            Searched::Embedding(nodes, numbers) => Space::of_embedding(nodes, numbers),
        })
    }
}

/// The files that rows and ids come from.
pub(super) fn files(path: &Path) -> Vec<PathBuf> {
    let npy = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
    let ids = Some(ids_path(path)).filter(|ids| npy && ids.exists());
    [path.to_owned()].into_iter().chain(ids).collect()
}

/// Where the index for these shares and this metric stands unless told otherwise: `M.gage.index`,
/// `M.gage.lambda-0.3.index`, `M.gage.distance.index`.
pub(super) fn beside(path: &Path, lambda: &LambdaArgs, metric: Metric) -> PathBuf {
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
pub(super) fn failure(path: &Path, error: &IndexError) -> Failure {
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
