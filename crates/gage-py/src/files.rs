//! Graphs and embeddings written to files, as `gage convert` writes them.

use std::path::{Path, PathBuf};

use gage_embed::graph::BlockKind;
use gage_embed::io::{
    EmbeddingRef, EmbeddingWriter, Inputs, LinkFormat, Staging, TemporaryFolders, WriteError,
    ids_path, is_embedding_file, read_embedding, row_files, write_folder, write_ids,
};
use gage_embed::{AnyTall, Graph, Matrix, Nodes, SparseMatrix};
use pyo3::prelude::*;

use crate::arrays;
use crate::errors::BindingError;
use crate::handles::PyGraph;
use crate::run::{Terms, Watch, run, run_detached};

/// Files that were written, and how many rows of which blocks they cannot say are missing.
type Written = (Vec<String>, Vec<(String, usize)>);

/// Writes a folder that every command and the package read.
#[pyfunction]
#[pyo3(name = "write_folder", signature = (graph, folder, mapped=false, inputs=vec![]))]
pub(crate) fn graph_to_folder(
    graph: &PyGraph,
    py: Python<'_>,
    folder: PathBuf,
    mapped: bool,
    inputs: Vec<PathBuf>,
) -> PyResult<Written> {
    let graph = graph.graph.clone();
    let terms = Terms { threads: None, report: None };
    run(py, &terms, move |_: &Watch| {
        let temporary = TemporaryFolders::default();
        let mut staging = Staging::new(all(&inputs), &temporary);
        let further = graph.blocks().iter().any(|b| b.name != "links" && b.name != "attributes");
        let views = folder.join("views");
        std::fs::create_dir_all(if further { &views } else { &folder })?;
        let written = write_folder(&graph, &folder, mapped, &mut staging)?;
        staging.commit()?;
        Ok((written.files, written.missing))
    })
}

/// Writes the links to a file whose extension says how; returns the files, whether the links
/// have a direction, and whether the format names the nodes.
#[pyfunction]
#[pyo3(name = "write_links", signature = (graph, path, inputs=vec![]))]
pub(crate) fn graph_to_links(
    graph: &PyGraph,
    py: Python<'_>,
    path: PathBuf,
    inputs: Vec<PathBuf>,
) -> PyResult<(Vec<String>, bool, bool)> {
    let graph = graph.graph.clone();
    let terms = Terms { threads: None, report: None };
    run(py, &terms, move |_: &Watch| links_to_file(&graph, &path, &inputs))
}

fn all(inputs: &[PathBuf]) -> Inputs {
    inputs.iter().fold(Inputs::default(), |all, path| all.and(path))
}

fn links_to_file(
    graph: &Graph,
    path: &Path,
    inputs: &[PathBuf],
) -> Result<(Vec<String>, bool, bool), BindingError> {
    let format = LinkFormat::of(path)
        .ok_or_else(|| WriteError::UnknownLinkFormat { path: path.to_owned() })?;
    let (links, directed) = links(graph)?;
    let temporary = TemporaryFolders::default();
    let mut staging = Staging::new(all(inputs), &temporary);
    let target = staging.claim(path)?;
    let mut files = vec![path.display().to_string()];
    staging.write(&target, |out| format.write(links, graph.nodes(), directed, out))?;
    // Matrices have no room for names.
    if graph.nodes().is_named() && !format.has_ids() {
        let path = ids_path(path);
        let target = staging.claim(&path)?;
        staging.write(&target, |out| write_ids(graph.nodes(), out))?;
        files.push(path.display().to_string());
    }
    staging.commit()?;
    Ok((files, directed, format.has_ids()))
}

fn links(graph: &Graph) -> Result<(&SparseMatrix, bool), BindingError> {
    let found = graph.block("links").and_then(|block| match (&block.matrix, block.kind) {
        (Matrix::Sparse(links), BlockKind::Links { directed }) => Some((links, directed)),
        _ => None,
    });
    let text = "found no links; a data set without links is written as a folder";
    found.ok_or_else(|| BindingError::Value(text.to_owned()))
}

/// Whether a file holds an embedding, by its name and content.
#[pyfunction]
pub(crate) fn is_embedding(path: PathBuf) -> bool {
    path.is_file() && is_embedding_file(&path)
}

/// Rows of an embedding file and their names.
#[pyfunction]
#[pyo3(name = "read_embedding")]
pub(crate) fn embedding_of_file<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(Bound<'py, PyAny>, Option<Vec<String>>)> {
    let (nodes, numbers): (Nodes, AnyTall) = run_detached(py, || read_embedding(path))?;
    let ids = nodes.is_named().then(|| nodes.ids().collect());
    Ok((arrays::to_numpy(py, &numbers)?, ids))
}

/// Writes an embedding to a file whose extension says how; returns the files.
#[pyfunction]
#[pyo3(signature = (path, rows, ids=None, source=None))]
pub(crate) fn write_embedding(
    py: Python<'_>,
    path: PathBuf,
    rows: &Bound<'_, PyAny>,
    ids: Option<Vec<String>>,
    source: Option<PathBuf>,
) -> PyResult<Vec<String>> {
    let values = arrays::numbers(rows)?;
    let nodes = match ids {
        Some(ids) => Nodes::named(ids).map_err(BindingError::from)?,
        None => Nodes::numbered(values.rows()),
    };
    run(py, &Terms { threads: None, report: None }, move |_: &Watch| {
        let temporary = TemporaryFolders::default();
        let inputs = source.map(|path| all(&row_files(&path))).unwrap_or_default();
        let mut staging = Staging::new(inputs, &temporary);
        let planned = EmbeddingWriter::plan(&mut staging, &path, None)?;
        planned.write(&mut staging, &EmbeddingRef { nodes: &nodes, values: &values })?;
        staging.commit()?;
        Ok(planned.files().to_vec())
    })
}
