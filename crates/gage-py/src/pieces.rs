//! Links, tables and labels, made from arrays, frames and files, to be put together into a graph.

use std::path::PathBuf;

use gage_embed::io::{
    self, AttributeTable, Column, EdgeFrame, EdgeSemantics, Frame, IdColumn, IdList, LabelTable,
    LinkTable, Pairs, ViewFile,
};
use gage_embed::{Labels, Matrix, Nodes};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::arrays;
use crate::errors::BindingError;
use crate::handles::{PyEdgeColumns, PyLabels, PyLinks, PyModel, PyTable};
use crate::options::column_options;
use crate::run::{run_attached, run_detached};

/// The column that holds the ids: a name, `True` for the one that looks like it, `None` if there is
/// none.
fn id_column(name: Option<&str>, find: bool) -> IdColumn {
    match name {
        Some(name) => IdColumn::Named(name.to_owned()),
        None if find => IdColumn::Auto,
        None => IdColumn::None,
    }
}

fn named(ids: Option<Vec<String>>) -> Result<Option<Nodes>, BindingError> {
    Ok(ids.map(Nodes::named).transpose()?)
}

#[pymethods]
impl PyLinks {
    /// Compressed rows; shared, not copied, where they can be.
    #[staticmethod]
    #[pyo3(signature = (shape, indptr, indices, data=None, ids=None))]
    fn from_csr(
        shape: (usize, usize),
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        data: Option<&Bound<'_, PyAny>>,
        ids: Option<Vec<String>>,
    ) -> PyResult<PyLinks> {
        let links = arrays::sparse(shape, indptr, indices, data)?;
        Ok(PyLinks(LinkTable::new(named(ids)?, links, EdgeSemantics::Matrix)))
    }

    /// Links one by one, between ids that are numbers or names.
    #[staticmethod]
    #[pyo3(signature = (name, sources, targets, weights=None, arcs=false, relations=None,
        times=None))]
    fn from_pairs(
        name: &str,
        sources: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
        weights: Option<Vec<f64>>,
        arcs: bool,
        relations: Option<Vec<String>>,
        times: Option<(Vec<String>, f64)>,
    ) -> PyResult<PyLinks> {
        let (sources, targets) = (ids(sources)?, ids(targets)?);
        let pairs = Pairs { relations, times, ..Pairs::new(sources, targets, weights) };
        let mut table = run_attached(|| io::links_of_pairs(name, &pairs))?;
        if arcs {
            table.semantics = EdgeSemantics::Arcs;
        }
        Ok(PyLinks(table))
    }

    /// Any file of links the command line reads.
    #[staticmethod]
    #[pyo3(signature = (path, reading=None))]
    fn from_file(py: Python<'_>, path: PathBuf, reading: Option<&str>) -> PyResult<PyLinks> {
        let options = column_options(reading, IdColumn::Auto)?;
        Ok(PyLinks(run_detached(py, || io::read_links_with(path, &options))?))
    }

    /// Rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.links.rows(), self.0.links.cols())
    }

    /// Ids of the nodes it links, unless its rows are positions.
    #[getter]
    fn ids(&self) -> Option<Vec<String>> {
        self.0.ids.as_ref().map(|ids| ids.ids().collect())
    }

    /// Links to things that are no nodes of this graph: a table with one column for each of them.
    fn as_table(&self) -> PyTable {
        PyTable(Matrix::Sparse(self.0.links.clone()).into())
    }

    /// Where the column indices stand in memory, so that a test can see whether they were copied.
    #[getter]
    fn indices_address(&self) -> usize {
        self.0.links.indices().as_ptr() as usize
    }
}

/// Tells the columns of a frame of links by the rules of edge lists: their positions, and how they
/// were read.
#[pyfunction]
#[pyo3(signature = (name, columns, rows, reading=None))]
pub(crate) fn edge_columns(
    name: &str,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    reading: Option<&str>,
) -> PyResult<PyEdgeColumns> {
    let options = column_options(reading, IdColumn::Auto)?;
    let found = run_attached(|| io::edge_frame(name, &columns, &rows, &options))?;
    Ok(PyEdgeColumns(found))
}

#[pymethods]
impl PyEdgeColumns {
    /// Positions of source, target, weight, relation and time.
    #[getter]
    fn positions(&self) -> (usize, usize, Option<usize>, Option<usize>, Option<usize>) {
        let EdgeFrame { source, target, weight, relation, time, .. } = self.0;
        (source, target, weight, relation, time)
    }

    /// The same links, with what was said about their columns.
    fn described(&self, links: &PyLinks) -> PyLinks {
        let mut table = links.0.clone();
        table.reading = Some(self.0.reading.clone());
        table.warnings.splice(0..0, self.0.warnings.iter().cloned());
        if self.0.arcs {
            table.semantics = EdgeSemantics::Arcs;
        }
        PyLinks(table)
    }
}

fn ids(list: &Bound<'_, PyAny>) -> PyResult<IdList> {
    if let Ok(numbers) = list.cast::<PyArray1<i64>>() {
        return Ok(IdList::Numbers(numbers.readonly().as_array().to_vec()));
    }
    Ok(IdList::Names(list.extract()?))
}

#[pymethods]
impl PyTable {
    /// Compressed rows; shared, not copied, where they can be.
    #[staticmethod]
    #[pyo3(signature = (shape, indptr, indices, data=None, columns=None, ids=None))]
    fn from_csr(
        shape: (usize, usize),
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        data: Option<&Bound<'_, PyAny>>,
        columns: Option<Vec<String>>,
        ids: Option<Vec<String>>,
    ) -> PyResult<PyTable> {
        let matrix = Matrix::Sparse(arrays::sparse(shape, indptr, indices, data)?);
        PyTable::of(matrix, columns, ids)
    }

    /// A dense array, NaN where an entry is missing.
    #[staticmethod]
    #[pyo3(signature = (name, values, columns=None, ids=None))]
    fn from_dense(
        name: &str,
        values: &Bound<'_, PyAny>,
        columns: Option<Vec<String>>,
        ids: Option<Vec<String>>,
    ) -> PyResult<PyTable> {
        let dense = arrays::dense(values)?;
        let matrix = run_attached(|| io::dense_or_sparse(name, dense))?;
        PyTable::of(matrix, columns, ids)
    }

    /// Named columns of numbers and texts, encoded as the command line encodes tables; or as a
    /// fitted table was.
    #[staticmethod]
    #[pyo3(signature = (name, columns, id_column=None, like=None, reading=None))]
    fn from_frame(
        py: Python<'_>,
        name: &str,
        columns: Vec<(String, Bound<'_, PyAny>)>,
        id_column: Option<&str>,
        like: Option<&PyModel>,
        reading: Option<&str>,
    ) -> PyResult<PyTable> {
        let columns: PyResult<Vec<(String, Column)>> =
            columns.into_iter().map(|(name, cells)| Ok((name, column(&cells)?))).collect();
        let frame = Frame { columns: columns? };
        let options = column_options(reading, self::id_column(id_column, false))?;
        let encoding = like.map(|model| model.encoding(name)).transpose()?.flatten();
        let encode = || io::encode_frame(name, &frame, &options, encoding.as_ref());
        let table = run_detached(py, encode);
        Ok(PyTable(table?))
    }

    /// Any file of attributes the command line reads; encoded like a fitted table if a model is
    /// given.
    #[staticmethod]
    #[pyo3(signature = (name, path, id_column=None, find_ids=true, like=None, reading=None))]
    fn from_file(
        py: Python<'_>,
        name: &str,
        path: PathBuf,
        id_column: Option<&str>,
        find_ids: bool,
        like: Option<&PyModel>,
        reading: Option<&str>,
    ) -> PyResult<PyTable> {
        let options = column_options(reading, self::id_column(id_column, find_ids))?;
        let encoding = like.map(|model| model.encoding(name)).transpose()?.flatten();
        let table = run_detached(py, || match &encoding {
            Some(encoding) => io::read_attributes_like(path, encoding, &options),
            None => match io::read_view(path, None, &options)? {
                ViewFile::Attributes(table) => Ok(table),
                ViewFile::Links(links) => Ok(Matrix::Sparse(links.links).into()),
            },
        });
        Ok(PyTable(table?))
    }

    /// Rows and columns after encoding.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.matrix.rows(), self.0.matrix.cols())
    }

    /// Ids of the rows, unless they are positions.
    #[getter]
    fn ids(&self) -> Option<Vec<String>> {
        self.0.ids.as_ref().map(|ids| ids.ids().collect())
    }

    /// Names of the columns after encoding, if there are any.
    #[getter]
    fn columns(&self) -> Option<Vec<String>> {
        self.0.columns.clone()
    }
}

impl PyTable {
    fn of(
        matrix: Matrix,
        columns: Option<Vec<String>>,
        ids: Option<Vec<String>>,
    ) -> PyResult<PyTable> {
        Ok(PyTable(AttributeTable { columns, ids: named(ids)?, ..AttributeTable::from(matrix) }))
    }
}

fn column(cells: &Bound<'_, PyAny>) -> PyResult<Column> {
    if let Ok(numbers) = cells.cast::<PyArray1<f64>>() {
        return Ok(Column::Numbers(numbers.readonly().as_array().to_vec()));
    }
    Ok(Column::Texts(cells.extract()?))
}

/// A file that is either links or a table, as the command line tells them apart.
#[pyfunction]
#[pyo3(signature = (path, id_column=None, reading=None))]
pub(crate) fn read_view(
    py: Python<'_>,
    path: PathBuf,
    id_column: Option<&str>,
    reading: Option<&str>,
) -> PyResult<(Option<PyLinks>, Option<PyTable>)> {
    let options = column_options(reading, self::id_column(id_column, true))?;
    let view = run_detached(py, || io::read_view(path, None, &options))?;
    Ok(match view {
        ViewFile::Links(links) => (Some(PyLinks(links)), None),
        ViewFile::Attributes(table) => (None, Some(PyTable(table))),
    })
}

#[pymethods]
impl PyLabels {
    /// Class numbers; negative ones mean no label.
    #[staticmethod]
    #[pyo3(signature = (numbers, ids=None))]
    fn from_numbers(numbers: Vec<i64>, ids: Option<Vec<String>>) -> PyLabels {
        PyLabels(LabelTable::new(ids, io::labels_from_numbers(&numbers)))
    }

    /// Class names; `None` means no label.
    #[staticmethod]
    #[pyo3(signature = (names, ids=None))]
    fn from_names(names: Vec<Option<String>>, ids: Option<Vec<String>>) -> PyLabels {
        PyLabels(LabelTable::new(ids, Labels::from_names(&names)))
    }

    /// Any number of classes per node.
    #[staticmethod]
    #[pyo3(signature = (names, lists, ids=None))]
    fn from_lists(names: Vec<String>, lists: Vec<Vec<u32>>, ids: Option<Vec<String>>) -> PyLabels {
        PyLabels(LabelTable::new(ids, Labels::from_lists(names, lists.into_iter())))
    }

    /// Any file of labels the command line reads.
    #[staticmethod]
    #[pyo3(signature = (path, reading=None))]
    fn from_file(py: Python<'_>, path: PathBuf, reading: Option<&str>) -> PyResult<PyLabels> {
        let options = column_options(reading, IdColumn::Auto)?;
        Ok(PyLabels(run_detached(py, || io::read_labels_with(path, &options))?))
    }

    /// Ids of the labelled nodes, unless labels are by position.
    #[getter]
    fn ids(&self) -> Option<Vec<String>> {
        self.0.ids.clone()
    }

    fn __len__(&self) -> usize {
        self.0.labels.len()
    }
}
