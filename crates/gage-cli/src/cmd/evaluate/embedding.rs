//! The embedding to evaluate, from any file it may be in.

use std::path::Path;

use gage_embed::{AnyTall, Model, Nodes, Tall};
use gage_linalg::Real;

use super::Session;
use crate::args::evaluate::EmbeddingArgs;
use crate::args::missing;
use crate::errors::{Exit, Failure};
use crate::progress::Spinner;
use gage_embed::io::{is_model_file, read_embedding};

/// Reads an embedding; every number of it can be computed with.
pub(super) fn read(args: &EmbeddingArgs, session: &Session) -> anyhow::Result<(Nodes, AnyTall)> {
    let path = &args.embedding;
    if !path.exists() {
        return Err(missing(path).into());
    }
    let lambda = args.lambda.lambda();
    let spinner = Spinner::new(session.quiet, format!("reading {}", path.display()));
    let (nodes, numbers) = if is_model_file(path) {
        let model = Model::load(path)?;
        let numbers = model.embedding(&lambda)?;
        (model.nodes().clone(), numbers)
    } else {
        args.lambda.refuse_for_embedding(path)?;
        read_embedding(path)?
    };
    drop(spinner);
    check_finite(path, &nodes, &numbers)?;
    Ok((nodes, numbers))
}

/// Checks that every number can be computed with.
pub(crate) fn check_finite(path: &Path, nodes: &Nodes, numbers: &AnyTall) -> Result<(), Failure> {
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
