//! Fitted models.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gage_embed::io::{Origin, fitted_width, is_relation, recipe_of_json, reorder};
use gage_embed::model::certify;
use gage_embed::search::{Metric, Space, nearest};
use gage_embed::solver::{FitContext, prepare};
use gage_embed::{CertificateParams, Model, fit_with};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays;
use crate::errors::{BindingError, told};
use crate::graph::join_rule;
use crate::handles::{PyGraph, PyModel};
use crate::new_nodes::{NamedLinks, NamedTables, Placed, new_tables, place, position, said};
use crate::options::{checked_params, lambda_of};
use crate::run::{Terms, Watch, run, run_attached, run_detached};

/// Fits a model to a graph, beside Python.
#[pyfunction]
#[pyo3(signature = (graph, options, threads=None, report=None))]
pub(crate) fn fit(
    py: Python<'_>,
    graph: &PyGraph,
    options: &str,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<PyModel> {
    let graph = graph.graph.clone();
    let params = checked_params(options, &graph)?;
    let work = move |watch: &Watch| Ok(fit_with(&graph, params, watch)?);
    run(py, &Terms { threads, report }, work).map(PyModel)
}

/// The views a fit would have, as JSON that `views` takes.
#[pyfunction]
#[pyo3(signature = (graph, options, threads=None, report=None))]
pub(crate) fn recipe(
    py: Python<'_>,
    graph: &PyGraph,
    options: &str,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let graph = graph.graph.clone();
    let params = checked_params(options, &graph)?;
    run(py, &Terms { threads, report }, move |watch: &Watch| {
        let ctx = FitContext { observer: watch, ..FitContext::default() };
        Ok(serde_json::to_string(&prepare(&graph, params, &ctx)?.recipe())?)
    })
}

/// A recipe of views as JSON, from a file or from JSON; errors name the key.
#[pyfunction]
#[pyo3(signature = (path=None, json=None))]
pub(crate) fn read_recipe(path: Option<PathBuf>, json: Option<&str>) -> PyResult<String> {
    let views = || Origin::Memory("views".to_owned());
    let recipe = match path {
        Some(path) => gage_embed::io::read_recipe(path),
        None => recipe_of_json(views(), json.unwrap_or_default()),
    };
    let recipe = recipe.map_err(BindingError::from)?;
    Ok(serde_json::to_string(&recipe).map_err(BindingError::from)?)
}

/// Distances and rows of nodes near another one: id, value, and what each view contributes.
type Near = Vec<(usize, f64, Vec<f64>)>;

#[pymethods]
impl PyModel {
    /// Reads a model file, whoever wrote it.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<PyModel> {
        Ok(PyModel(run_detached(py, || Model::load(path))?))
    }

    /// The model from the bytes of a file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<PyModel> {
        Ok(PyModel(run_attached(|| Model::from_bytes(bytes, Path::new("model")))?))
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = run_detached(py, || self.0.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes a model file that the command line reads.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        Ok(run_detached(py, || self.0.save(path))?)
    }

    /// What the package keeps with the model, by name.
    #[getter]
    fn annotations(&self) -> BTreeMap<String, String> {
        self.0.annotations().clone()
    }

    /// The same model with other annotations.
    fn annotated(&self, annotations: BTreeMap<String, String>) -> PyModel {
        PyModel(self.0.clone().with_annotations(annotations))
    }

    /// Number of nodes.
    fn __len__(&self) -> usize {
        self.0.nodes().len()
    }

    /// Number of columns.
    #[getter]
    fn dimension(&self) -> usize {
        self.0.dimension()
    }

    /// Names of the nodes, if they have any.
    #[getter]
    fn ids(&self) -> Option<Vec<String>> {
        let nodes = self.0.nodes();
        nodes.is_named().then(|| nodes.ids().collect())
    }

    /// Whether new nodes can be folded in.
    #[getter]
    fn takes_new_nodes(&self) -> bool {
        self.0.takes_new_nodes()
    }

    /// `U`.
    fn factors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::to_numpy(py, self.0.factors())
    }

    /// Coefficients, one list per view.
    fn coefficients(&self) -> Vec<Vec<f64>> {
        self.0.views().iter().map(|view| view.coefficients.clone()).collect()
    }

    /// `E(lambda)`.
    #[pyo3(signature = (lam=None, shares=None))]
    fn embedding<'py>(
        &self,
        py: Python<'py>,
        lam: Option<f64>,
        shares: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let lambda = lambda_of(&self.0, lam, shares).0;
        let numbers = run_detached(py, || self.0.embedding(&lambda))?;
        arrays::to_numpy(py, &numbers)
    }

    /// One share per view, adding up to one.
    #[pyo3(signature = (lam=None, shares=None))]
    fn shares(&self, lam: Option<f64>, shares: Option<Vec<f64>>) -> PyResult<Vec<f64>> {
        Ok(self.0.shares(&lambda_of(&self.0, lam, shares).0).map_err(BindingError::from)?)
    }

    /// What is odd about a share for the views that use links, if anything is.
    #[pyo3(signature = (lam=None, shares=None))]
    fn lambda_warning(&self, lam: Option<f64>, shares: Option<Vec<f64>>) -> Option<String> {
        let error = lambda_of(&self.0, lam, shares).1?;
        Some(told(&error, error.hint().as_ref()))
    }

    /// The views, as JSON.
    fn views(&self) -> PyResult<String> {
        Ok(serde_json::to_string(self.0.views()).map_err(BindingError::from)?)
    }

    /// The parameters of the fit, as JSON.
    fn params(&self) -> PyResult<String> {
        Ok(serde_json::to_string(self.0.params()).map_err(BindingError::from)?)
    }

    /// What the fit did, as JSON.
    fn info(&self) -> PyResult<String> {
        Ok(serde_json::to_string(self.0.info()).map_err(BindingError::from)?)
    }

    /// What was measured of it, as JSON, if it was.
    fn certificate(&self) -> PyResult<Option<String>> {
        let json = self.0.certificate().map(serde_json::to_string).transpose();
        Ok(json.map_err(BindingError::from)?)
    }

    /// Measures the model against a graph, and returns the model with its certificate.
    #[pyo3(signature = (graph, seed=0, threads=None, report=None, ids=None))]
    fn certify(
        &self,
        py: Python<'_>,
        graph: &PyGraph,
        seed: u64,
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
        ids: Option<&str>,
    ) -> PyResult<PyModel> {
        let (model, graph, rule) = (self.0.clone(), graph.graph.clone(), join_rule(None, ids)?);
        let work = move |watch: &Watch| {
            let graph = reorder(graph, model.nodes(), Origin::Memory("data".to_owned()), rule)?;
            let params = CertificateParams { seed, ..CertificateParams::default() };
            let certificate = certify(&model, &graph, &params, watch)?;
            Ok(model.with_certificate(certificate))
        };
        run(py, &Terms { threads, report }, work).map(PyModel)
    }

    /// Position of a node by its id.
    #[pyo3(signature = (id, ids=None))]
    fn find(&self, id: &str, ids: Option<&str>) -> PyResult<usize> {
        Ok(position(self.0.nodes(), id, ids, "the model")?)
    }

    /// Nearest nodes: position, cosine or squared distance, and what each view contributes to it.
    #[pyo3(signature = (node, count, lam=None, shares=None, distance=false))]
    fn similar(
        &self,
        py: Python<'_>,
        node: usize,
        count: usize,
        lam: Option<f64>,
        shares: Option<Vec<f64>>,
        distance: bool,
    ) -> PyResult<Near> {
        let lambda = lambda_of(&self.0, lam, shares).0;
        let metric = if distance { Metric::Distance } else { Metric::Cosine };
        if node >= self.0.nodes().len() {
            let text = format!("node {node} of a model of {} nodes", self.0.nodes().len());
            return Err(BindingError::Index(text).into());
        }
        let found = run_detached(py, || -> Result<_, gage_embed::Error> {
            Ok(nearest(&Space::of_model(&self.0, &lambda)?, node, count, metric))
        });
        let Some(found) = found? else {
            let id = self.0.nodes().id(node);
            let text = format!("node `{id}` has no view at all, so nothing is near it");
            return Err(BindingError::Value(text).into());
        };
        Ok(found.into_iter().map(|near| (near.node, near.value, near.by_view)).collect())
    }

    /// Rows for new nodes, their names, those without any view, and remarks.
    #[pyo3(signature = (links, tables, nodes=None, ids=None, lam=None, shares=None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn fold_in<'py>(
        &self,
        py: Python<'py>,
        links: NamedLinks<'py>,
        tables: NamedTables<'py>,
        nodes: Option<Vec<String>>,
        ids: Option<&str>,
        lam: Option<f64>,
        shares: Option<Vec<f64>>,
    ) -> PyResult<Placed<Bound<'py, PyAny>>> {
        let tables = new_tables(&self.0, links, (tables, true), nodes, ids)?;
        let lambda = lambda_of(&self.0, lam, shares).0;
        let placed = run_detached(py, || -> Result<_, BindingError> {
            let (new, folded) = place(&self.0, tables)?;
            Ok((self.0.embed_new(&folded, &lambda)?, new, folded))
        });
        let (numbers, new, folded) = placed?;
        Ok(said(arrays::to_numpy(py, &numbers)?, new, folded))
    }

    /// A model with new nodes behind its own, their names, those without any view, and remarks.
    #[pyo3(signature = (links, tables, nodes=None, ids=None))]
    fn append(
        &self,
        py: Python<'_>,
        links: NamedLinks<'_>,
        tables: NamedTables<'_>,
        nodes: Option<Vec<String>>,
        ids: Option<&str>,
    ) -> PyResult<Placed<PyModel>> {
        let tables = new_tables(&self.0, links, (tables, false), nodes, ids)?;
        let placed = run_detached(py, || -> Result<_, BindingError> {
            let (new, folded) = place(&self.0, tables)?;
            Ok((self.0.clone().append(&new.nodes, &folded)?, new, folded))
        });
        let (model, new, folded) = placed?;
        Ok(said(PyModel(model), new, folded))
    }

    /// Whether a block of the fitted graph was links.
    fn is_relation(&self, name: &str) -> PyResult<bool> {
        Ok(is_relation(&self.0, name).map_err(BindingError::from)?)
    }

    /// Whether the model was fitted with a block of that name.
    fn has_block(&self, name: &str) -> bool {
        fitted_width(&self.0, name).is_ok()
    }

    /// Columns a block had at the fit.
    fn width(&self, name: &str) -> PyResult<usize> {
        Ok(fitted_width(&self.0, name).map_err(BindingError::from)?)
    }

    /// Names of the columns of a block of attributes of the fitted graph.
    fn column_names(&self, name: &str) -> Option<Vec<String>> {
        self.0.column_names(name).map(<[String]>::to_vec)
    }
}
