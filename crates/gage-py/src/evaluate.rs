//! Evaluations: what comes out is JSON, as `--json` of the command line has it.

use gage_embed::eval::{
    ClassifyParams, ClusterParams, EvalError, LinkExperiment, SweepTask, TuneParams, Tuned,
    classify_with, cluster, link_experiment, sweep, sweep_model, tune,
};
use gage_embed::{AnyTall, FitParams, Graph, Labels, fit_with};
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::Value;

use crate::arrays;
use crate::errors::BindingError;
use crate::handles::{PyGraph, PyLabels, PyModel};
use crate::options::{checked_params, fit_params, lambda};
use crate::run::{Terms, Watch, run};

fn json(report: &impl Serialize) -> Result<String, BindingError> {
    Ok(serde_json::to_string(report)?)
}

/// Default parameters of a task with some of them changed.
pub(crate) fn changed<P: Default + Serialize + serde::de::DeserializeOwned>(
    changes: &str,
) -> Result<P, BindingError> {
    let mut params = serde_json::to_value(P::default())?;
    let changes: Value = serde_json::from_str(changes)?;
    merge(&mut params, changes)?;
    Ok(serde_json::from_value(params)?)
}

fn merge(params: &mut Value, changes: Value) -> Result<(), BindingError> {
    let (Value::Object(params), Value::Object(changes)) = (params, changes) else {
        return Err(BindingError::Value("parameters must be named".to_owned()));
    };
    for (name, value) in changes {
        let known: Vec<String> = params.keys().cloned().collect();
        let Some(slot) = params.get_mut(&name) else {
            let known = known.join(", ");
            return Err(BindingError::Value(format!(
                "there is no parameter `{name}`; there are {known}"
            )));
        };
        match (&mut *slot, value) {
            (Value::Object(_), inner @ Value::Object(_)) => merge(slot, inner)?,
            (_, value) => *slot = value,
        }
    }
    Ok(())
}

/// Node classification.
#[pyfunction]
#[pyo3(signature = (embedding, labels, params, threads=None, report=None))]
pub(crate) fn classify(
    py: Python<'_>,
    embedding: &Bound<'_, PyAny>,
    labels: &PyLabels,
    params: &str,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (numbers, labels) = (arrays::numbers(embedding)?, labels.0.labels.clone());
    let params: ClassifyParams = changed(params)?;
    run(py, &Terms { threads, report }, move |watch: &Watch| {
        json(&match &numbers {
            AnyTall::F32(tall) => classify_with(tall, &labels, &params, watch),
            AnyTall::F64(tall) => classify_with(tall, &labels, &params, watch),
        }?)
    })
}

/// Clustering.
#[pyfunction(name = "cluster")]
#[pyo3(signature = (embedding, labels, params, threads=None, report=None))]
pub(crate) fn clusters(
    py: Python<'_>,
    embedding: &Bound<'_, PyAny>,
    labels: Option<&PyLabels>,
    params: &str,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let numbers = arrays::numbers(embedding)?;
    let labels = labels.map(|labels| labels.0.labels.clone());
    let params: ClusterParams = changed(params)?;
    run(py, &Terms { threads, report }, move |watch: &Watch| {
        json(&cluster(&numbers, labels.as_ref(), &params, watch)?)
    })
}

/// Link prediction: hides links, fits what is left, scores the hidden ones.
#[pyfunction]
#[pyo3(signature = (graph, options, params, lam=None, shares=None, threads=None, report=None))]
pub(crate) fn predict_links(
    py: Python<'_>,
    graph: &PyGraph,
    options: &str,
    params: &str,
    lam: Option<f64>,
    shares: Option<Vec<f64>>,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let graph = graph.graph.clone();
    let fit = fit_params(options, &graph)?;
    let (task, lambda): (LinkExperiment, _) = (changed(params)?, lambda(lam, shares));
    run(py, &Terms { threads, report }, move |watch: &Watch| {
        let embed = |graph: &Graph, seed| -> Result<AnyTall, BindingError> {
            let params = FitParams { seed, loadings: false, ..fit.clone() }.check()?;
            Ok(fit_with(graph, params, watch)?.embedding(&lambda)?)
        };
        json(&link_experiment(&graph, &task, watch, embed)?)
    })
}

fn sweep_task(task: &str, params: &str) -> Result<SweepTask, BindingError> {
    Ok(match task {
        "classify" => SweepTask::Classify(changed(params)?),
        "cluster" => SweepTask::Cluster(changed(params)?),
        "links" => SweepTask::Links(changed(params)?),
        other => {
            let known = "classify, cluster, links";
            return Err(BindingError::Value(format!(
                "there is no task `{other}`; there are {known}"
            )));
        }
    })
}

/// A task at every share, from one fit.
#[pyfunction(name = "sweep")]
#[pyo3(signature = (graph, options, task, params, lambdas, threads=None, report=None))]
pub(crate) fn sweep_graph(
    py: Python<'_>,
    graph: &PyGraph,
    options: &str,
    task: &str,
    params: &str,
    lambdas: Vec<f64>,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let graph = graph.graph.clone();
    let (fit, task) = (checked_params(options, &graph)?, sweep_task(task, params)?);
    run(py, &Terms { threads, report }, move |watch: &Watch| {
        json(&sweep(&graph, &fit, &lambdas, &task, watch)?)
    })
}

/// A task at every share, with a model that is there.
#[pyfunction]
#[pyo3(signature = (model, labels, task, params, lambdas, threads=None, report=None))]
pub(crate) fn sweep_fitted(
    py: Python<'_>,
    model: &PyModel,
    labels: Option<&PyLabels>,
    task: &str,
    params: &str,
    lambdas: Vec<f64>,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let model = model.0.clone();
    let labels: Option<Labels> = labels.map(|labels| labels.0.labels.clone());
    let task = sweep_task(task, params)?;
    run(py, &Terms { threads, report }, move |watch: &Watch| {
        json(&sweep_model(&model, labels.as_ref(), &lambdas, &task, watch)?)
    })
}

/// Preset, columns and shares by cross-validation: the report, and the model of the choice.
#[pyfunction(name = "tune")]
#[pyo3(signature = (graph, candidates, params, threads=None, report=None))]
pub(crate) fn tune_graph(
    py: Python<'_>,
    graph: &PyGraph,
    candidates: Vec<String>,
    params: &str,
    threads: Option<usize>,
    report: Option<Py<PyAny>>,
) -> PyResult<(String, PyModel)> {
    let graph = graph.graph.clone();
    let candidates: Result<Vec<FitParams>, BindingError> =
        candidates.iter().map(|options| fit_params(options, &graph)).collect();
    let params = TuneParams { candidates: candidates?, ..changed(params)? };
    let tuned = run(py, &Terms { threads, report }, move |watch: &Watch| {
        let none = EvalError::TooFew { what: "labelled nodes", needed: 2, found: 0 };
        Ok(tune(&graph, graph.labels().ok_or(none)?, &params, watch)?)
    });
    let Tuned { report, model } = tuned?;
    Ok((json(&report)?, PyModel(model)))
}
