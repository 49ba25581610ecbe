//! The Python classes and what of the library each of them holds. Their methods are in the files
//! that are named after them.

use gage_embed::graph::TableEncoding;
use gage_embed::io::{
    AttributeTable, Dataset, EdgeFrame, LabelTable, LinkTable, Note, fitted_width,
};
use gage_embed::{Graph, Model};
use pyo3::prelude::*;

use crate::errors::{BindingError, told};

/// A graph with any number of blocks.
#[pyclass(name = "Graph", frozen, module = "gage_embed._native")]
pub(crate) struct PyGraph {
    pub(crate) graph: Graph,
    #[pyo3(get)]
    pub(crate) info: Vec<String>,
    #[pyo3(get)]
    pub(crate) warnings: Vec<String>,
    /// what was taken as what, as JSON
    #[pyo3(get)]
    pub(crate) readings: String,
}

impl PyGraph {
    /// A graph that was not read.
    pub(crate) fn new(graph: Graph) -> PyGraph {
        let (info, warnings, readings) = (Vec::new(), Vec::new(), "[]".to_owned());
        PyGraph { graph, info, warnings, readings }
    }
}

impl From<Dataset> for PyGraph {
    fn from(dataset: Dataset) -> PyGraph {
        let said = |notes: Vec<Note>| notes.iter().map(|n| told(n, n.hint.as_ref())).collect();
        let (info, warnings) = (said(dataset.info), said(dataset.warnings));
        // Names and numbers always have a form in JSON.
        let readings = serde_json::to_string(&dataset.readings).unwrap_or_default();
        PyGraph { graph: dataset.graph, info, warnings, readings }
    }
}

/// A relation whose nodes are not aligned yet.
#[pyclass(name = "Links", frozen, module = "gage_embed._native")]
pub(crate) struct PyLinks(pub(crate) LinkTable);

/// What the columns of a frame of links are there for.
#[pyclass(name = "EdgeColumns", frozen, module = "gage_embed._native")]
pub(crate) struct PyEdgeColumns(pub(crate) EdgeFrame);

/// A table of attributes whose nodes are not aligned yet.
#[pyclass(name = "Table", frozen, module = "gage_embed._native")]
pub(crate) struct PyTable(pub(crate) AttributeTable);

/// Classes whose nodes are not aligned yet.
#[pyclass(name = "Labels", frozen, module = "gage_embed._native")]
pub(crate) struct PyLabels(pub(crate) LabelTable);

/// A fitted model.
#[pyclass(name = "Model", frozen, module = "gage_embed._native")]
pub(crate) struct PyModel(pub(crate) Model);

impl PyModel {
    /// How cells of a table become the columns of a block.
    pub(crate) fn encoding(&self, name: &str) -> Result<Option<TableEncoding>, BindingError> {
        Ok(self.0.encoding(name, fitted_width(&self.0, name)?))
    }
}
