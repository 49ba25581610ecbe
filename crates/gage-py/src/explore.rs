//! The explorer in notebooks: questions of its page come as messages, or the page is frozen.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use gage_embed::Labels;
use gage_explorer::{
    Explorer, ExplorerError, ExplorerParams, Handler, Pieces, Request, WIDGET, frozen_page,
    notebook_page,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{BindingError, told};
use crate::handles::{PyGraph, PyModel};
use crate::run::{Terms, Watch, run, run_detached};

impl From<ExplorerError> for BindingError {
    fn from(error: ExplorerError) -> BindingError {
        match error {
            ExplorerError::Model(error) => error.into(),
            ExplorerError::Thread(_) => BindingError::Os(error.to_string()),
            _ => BindingError::Value(told(&error, error.hint().as_ref())),
        }
    }
}

/// Names of classes, and the class of every node (-1 for none).
type Classes = (Vec<String>, Vec<i64>);
/// What numbers mean, and the number of every node (not a number for none).
type Scale = (String, Vec<f32>);

fn params(
    title: String,
    seed: u64,
    graph: Option<&PyGraph>,
    classes: Option<Classes>,
    scale: Option<Scale>,
) -> ExplorerParams {
    let lists = |numbers: Vec<i64>| numbers.into_iter().map(|n| u32::try_from(n).into_iter());
    let labels = classes.map(|(names, numbers)| {
        Labels::from_lists(names, lists(numbers).map(|class| class.collect()))
    });
    let graph = graph.map(|graph| graph.graph.clone());
    ExplorerParams { title, graph, labels, scale, seed, ..ExplorerParams::default() }
}

/// A model that is being explored.
#[pyclass(name = "Explorer", frozen, module = "gage_embed._native")]
pub(crate) struct PyExplorer(Explorer);

#[pymethods]
impl PyExplorer {
    /// Starts to prepare; returns as soon as there is something to show.
    #[new]
    #[pyo3(signature = (
        model, title, seed, graph=None, classes=None, scale=None, cache=None, threads=None
    ))]
    fn start(
        py: Python<'_>,
        model: &PyModel,
        title: String,
        seed: u64,
        graph: Option<&PyGraph>,
        classes: Option<Classes>,
        scale: Option<Scale>,
        cache: Option<PathBuf>,
        threads: Option<usize>,
    ) -> PyResult<PyExplorer> {
        let model = model.0.clone();
        // Threads of its own: those of the process may be of the one that this was forked from.
        let own = Some(threads.unwrap_or(0));
        let params = params(title, seed, graph, classes, scale);
        let params = ExplorerParams { cache, threads: own, ..params };
        let work = move |_: &Watch| Ok(Explorer::start(model, params)?);
        run(py, &Terms { threads, report: None }, work).map(PyExplorer)
    }

    /// Answers a question of the page.
    fn answer(
        &self,
        py: Python<'_>,
        method: &str,
        target: &str,
        body: Vec<u8>,
    ) -> PyResult<PyAnswer> {
        let request = Request::local(method, target, body)
            .ok_or_else(|| BindingError::Value(format!("{target}: a broken query")))?;
        let work = || Ok::<_, BindingError>(self.0.answer(&request));
        let response = run_detached(py, work)?;
        let status = response.status();
        Ok(PyAnswer { status, pieces: Mutex::new(response.into_pieces()) })
    }
}

/// An answer, piece by piece.
#[pyclass(name = "Answer", frozen, module = "gage_embed._native")]
pub(crate) struct PyAnswer {
    #[pyo3(get)]
    status: u16,
    pieces: Mutex<Pieces>,
}

#[pymethods]
impl PyAnswer {
    /// The next piece, once it is there; nothing after the last.
    fn next<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let take = || self.pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
        let piece: Option<Arc<Vec<u8>>> = py.detach(take);
        piece.map(|piece| PyBytes::new(py, &piece))
    }
}

/// The page as one file that needs no kernel.
#[pyfunction]
#[pyo3(name = "frozen_page")]
#[pyo3(signature = (model, title, seed, graph=None, classes=None, scale=None, threads=None))]
pub(crate) fn frozen(
    py: Python<'_>,
    model: &PyModel,
    title: String,
    seed: u64,
    graph: Option<&PyGraph>,
    classes: Option<Classes>,
    scale: Option<Scale>,
    threads: Option<usize>,
) -> PyResult<String> {
    let (model, params) = (model.0.clone(), params(title, seed, graph, classes, scale));
    let work = move |_: &Watch| Ok(frozen_page(model, params)?);
    run(py, &Terms { threads, report: None }, work)
}

/// What a notebook runs around the page, and the page.
#[pyfunction]
pub(crate) fn notebook_parts() -> (&'static str, String) {
    (WIDGET, notebook_page())
}
