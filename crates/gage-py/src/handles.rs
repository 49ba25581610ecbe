//! The Python classes and what of the library each of them holds. Their methods are in the files
//! that are named after them.

use gage_embed::graph::TableEncoding;
use gage_embed::io::{AttributeTable, Dataset, LabelTable, LinkTable, Note, fitted_width};
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
}

impl From<Dataset> for PyGraph {
    fn from(dataset: Dataset) -> PyGraph {
        let said = |notes: Vec<Note>| notes.iter().map(|n| told(n, n.hint.as_ref())).collect();
        PyGraph { graph: dataset.graph, info: said(dataset.info), warnings: said(dataset.warnings) }
    }
}

/// A relation whose nodes are not aligned yet.
#[pyclass(name = "Links", frozen, module = "gage_embed._native")]
pub(crate) struct PyLinks(pub(crate) LinkTable);

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
