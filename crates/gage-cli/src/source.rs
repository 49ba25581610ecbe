//! Rows to search or evaluate: of a model or of an embedding file.

use std::path::Path;

use gage_embed::io::{exists, is_model_file, read_embedding};
use gage_embed::search::Space;
use gage_embed::{AnyTall, Model, Nodes, Tall};
use gage_linalg::Real;

use crate::args::{LambdaArgs, missing};
use crate::errors::{Exit, Failure};
use crate::session::Session;

/// A model or an embedding, in memory.
pub(crate) enum Source {
    Model(Box<Model>),
    Embedding(Nodes, AnyTall),
}

impl Source {
    /// Reads it, whatever file it is in.
    pub(crate) fn read(
        path: &Path,
        lambda: &LambdaArgs,
        session: &Session,
    ) -> anyhow::Result<Source> {
        if !exists(path) {
            return Err(missing(path).into());
        }
        if is_model_file(path) {
            return Ok(Source::Model(Box::new(session.model(path)?)));
        }
        lambda.refuse_for_embedding(path)?;
        let spinner = session.spinner(format!("reading {}", path.display()));
        let (nodes, numbers) = read_embedding(path)?;
        drop(spinner);
        check_finite(path, &nodes, &numbers)?;
        Ok(Source::Embedding(nodes, numbers))
    }

    /// Its rows with the given shares, to be searched.
    pub(crate) fn space(&self, lambda: &LambdaArgs) -> anyhow::Result<Space<'_>> {
        Ok(match self {
            Source::Model(model) => Space::of_model(model, &lambda.lambda())?,
            Source::Embedding(nodes, numbers) => Space::of_embedding(nodes, numbers),
        })
    }

    /// Its nodes and rows with the given shares.
    pub(crate) fn into_rows(
        self,
        path: &Path,
        lambda: &LambdaArgs,
    ) -> anyhow::Result<(Nodes, AnyTall)> {
        match self {
            Source::Model(model) => {
                let numbers = model.embedding(&lambda.lambda())?;
                check_finite(path, model.nodes(), &numbers)?;
                Ok((model.nodes().clone(), numbers))
            }
            Source::Embedding(nodes, numbers) => Ok((nodes, numbers)),
        }
    }
}

/// Checks that every number can be computed with.
fn check_finite(path: &Path, nodes: &Nodes, numbers: &AnyTall) -> Result<(), Failure> {
    match numbers {
        AnyTall::F32(tall) => check(path, nodes, tall),
        AnyTall::F64(tall) => check(path, nodes, tall),
    }
}

fn check<T: Real>(path: &Path, nodes: &Nodes, tall: &Tall<T>) -> Result<(), Failure> {
    let at = tall.data().iter().position(|value| !value.to_f64().is_finite());
    let Some(at) = at else { return Ok(()) };
    let (row, column) = (at / tall.cols(), at % tall.cols());
    let (id, value) = (nodes.id(row), tall.data()[at].to_f64());
    let message = format!(
        "{}: row {row} (node `{id}`), column {column}: found {value}, expected a finite number",
        path.display()
    );
    Err(Failure::new(Exit::Input, message)
        .help("remove such rows, or make the embedding again with `gage embed`"))
}
