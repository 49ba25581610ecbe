//! Graphs: put together from pieces, or read from files.

use std::path::PathBuf;

use gage_embed::eval::{PlantedGraph, PlantedParams};
use gage_embed::graph::BlockKind;
use gage_embed::io::{
    self, Dataset, DatasetParts, DatasetSpec, Directed, IdColumn, JoinRule, MatNames, ZeroRows,
};
use gage_embed::{Block, Graph, Matrix, Nodes};
use pyo3::prelude::*;

use crate::arrays;
use crate::errors::BindingError;
use crate::evaluate::changed;
use crate::handles::{PyGraph, PyLabels, PyLinks, PyTable};
use crate::options::column_options;
use crate::run::{Terms, Watch, run, run_attached, run_detached};

/// How rows meet nodes; `None` leaves it to the rule.
pub(crate) fn join_rule(align: Option<&str>, ids: Option<&str>) -> Result<JoinRule, BindingError> {
    let align = align.map(str::parse).transpose()?.unwrap_or_default();
    let spelling = ids.map(str::parse).transpose()?.unwrap_or_default();
    Ok(JoinRule { align, spelling })
}

/// `None` leaves directions to the data, `False` removes them, `True` keeps them.
fn directions(directed: Option<bool>) -> Directed {
    match directed {
        None => Directed::Auto,
        Some(true) => Directed::Yes,
        Some(false) => Directed::No,
    }
}

fn zero_rows(missing: bool) -> ZeroRows {
    if missing { ZeroRows::Missing } else { ZeroRows::Zero }
}

#[pymethods]
impl PyGraph {
    /// Puts pieces together as the command line does with files.
    #[staticmethod]
    #[pyo3(signature = (links, tables, nodes=None, labels=None, directed=None,
        zero_rows_missing=false, masks=vec![], align=None, ids=None))]
    fn assemble(
        py: Python<'_>,
        links: Vec<(String, PyRef<'_, PyLinks>)>,
        tables: Vec<(String, PyRef<'_, PyTable>)>,
        nodes: Option<Vec<String>>,
        labels: Option<&PyLabels>,
        directed: Option<bool>,
        zero_rows_missing: bool,
        masks: Vec<(String, Vec<bool>)>,
        align: Option<&str>,
        ids: Option<&str>,
    ) -> PyResult<PyGraph> {
        let pieces = DatasetParts {
            nodes: nodes.map(Nodes::named).transpose().map_err(BindingError::from)?,
            links: links.into_iter().map(|(name, part)| (name, part.0.clone())).collect(),
            attributes: tables.into_iter().map(|(name, part)| (name, part.0.clone())).collect(),
            labels: labels.map(|labels| labels.0.clone()),
        };
        let options = DatasetSpec {
            directed: directions(directed),
            zero_rows: zero_rows(zero_rows_missing),
            join: join_rule(align, ids)?,
            ..DatasetSpec::default()
        };
        let dataset = run_detached(py, || io::assemble(pieces, &options))?;
        let graph = masked(&dataset.graph, masks)?;
        Ok(PyGraph { graph, ..PyGraph::from(dataset) })
    }

    /// Reads a folder, a `.mat` file or separate files.
    #[staticmethod]
    #[pyo3(signature = (source=None, graph=None, attributes=None, labels=None, nodes=None,
        columns=None, views=vec![], directed=None, zero_rows_missing=false, id_column=None,
        mat_names=None, reading=None, align=None, ids=None))]
    fn load(
        py: Python<'_>,
        source: Option<PathBuf>,
        graph: Option<PathBuf>,
        attributes: Option<PathBuf>,
        labels: Option<PathBuf>,
        nodes: Option<PathBuf>,
        columns: Option<PathBuf>,
        views: Vec<(String, PathBuf)>,
        directed: Option<bool>,
        zero_rows_missing: bool,
        id_column: Option<String>,
        mat_names: Option<(String, String, String)>,
        reading: Option<&str>,
        align: Option<&str>,
        ids: Option<&str>,
    ) -> PyResult<PyGraph> {
        let mat =
            mat_names.map(|(links, attributes, labels)| MatNames { links, attributes, labels });
        let spec = DatasetSpec {
            source,
            graph,
            attributes,
            views,
            labels,
            nodes,
            columns,
            zero_rows: zero_rows(zero_rows_missing),
            directed: directions(directed),
            reading: column_options(reading, id_column.map_or(IdColumn::Auto, IdColumn::Named))?,
            mat: mat.unwrap_or_default(),
            join: join_rule(align, ids)?,
        };
        // Beside Python, since large files take long and Ctrl-C should not wait for them.
        let terms = Terms { threads: None, report: None };
        run(py, &terms, move |_: &Watch| Ok(io::load(&spec)?)).map(PyGraph::from)
    }

    /// The same graph with masks on some of its blocks.
    fn masked(&self, masks: Vec<(String, Vec<bool>)>) -> PyResult<PyGraph> {
        let graph = masked(&self.graph, masks)?;
        Ok(self.with_graph(graph))
    }

    /// The same graph with labels, one per node.
    fn with_labels(&self, labels: &PyLabels) -> PyResult<PyGraph> {
        let labels = labels.0.labels.clone();
        let graph = run_attached(|| self.graph.clone().with_labels(labels))?;
        Ok(self.with_graph(graph))
    }

    /// The data set inside the package.
    #[staticmethod]
    fn debian(py: Python<'_>) -> PyResult<PyGraph> {
        let read = || -> Result<Dataset, BindingError> {
            let folder = tempfile::tempdir()?;
            for (name, bytes) in gage_debian::FILES {
                std::fs::write(folder.path().join(name), bytes)?;
            }
            Ok(io::load(&gage_debian::spec(folder.path()))?)
        };
        Ok(run_detached(py, read)?.into())
    }

    /// A graph with planted classes, of parameters in JSON.
    #[staticmethod]
    fn planted(py: Python<'_>, params: &str) -> PyResult<PyGraph> {
        let params: PlantedParams = changed(params)?;
        let make = move |_: &Watch| {
            let planted = PlantedGraph::new(params)?;
            let links = Block::links("links", planted.links(), false);
            let attributes = Block::attributes("attributes", planted.attributes());
            let graph = Graph::new(Nodes::numbered(planted.classes().len()));
            let graph = graph.with_block(links)?.with_block(attributes)?;
            let graph = graph.with_labels(planted.labels())?;
            Ok(PyGraph::new(graph))
        };
        run(py, &Terms { threads: None, report: None }, make)
    }

    /// Number of nodes.
    fn __len__(&self) -> usize {
        self.graph.nodes().len()
    }

    /// Names of the nodes, if they have any.
    #[getter]
    fn ids(&self) -> Option<Vec<String>> {
        let nodes = self.graph.nodes();
        nodes.is_named().then(|| nodes.ids().collect())
    }

    /// Name, kind, shape and number of observed nodes of every block.
    fn blocks(&self) -> Vec<(String, &'static str, (usize, usize), usize)> {
        let nodes = self.graph.nodes().len();
        let blocks = self.graph.blocks().iter().map(|block| {
            let kind = match block.kind {
                BlockKind::Links { directed: true } => "directed links",
                BlockKind::Links { directed: false } => "links",
                BlockKind::Attributes => "attributes",
            };
            let shape = (block.matrix.rows(), block.matrix.cols());
            let observed = block.observed.as_ref().map_or(nodes, |mask| mask.count());
            (block.name.clone(), kind, shape, observed)
        });
        blocks.collect()
    }

    /// A block as new arrays: compressed rows or one dense array.
    fn matrix<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        arrays::matrix_to_numpy(py, &self.block(name)?.matrix)
    }

    /// Names of the columns of a block.
    fn columns(&self, name: &str) -> PyResult<Option<Vec<String>>> {
        Ok(self.block(name)?.columns.clone())
    }

    /// Which nodes a block observes; `None` if all.
    fn mask(&self, name: &str) -> PyResult<Option<Vec<bool>>> {
        Ok(self.block(name)?.observed.as_ref().map(|mask| mask.as_slice().to_vec()))
    }

    /// Where the column indices of a block of links stand in memory, so that a test can see whether
    /// they were copied.
    fn indices_address(&self, name: &str) -> PyResult<Option<usize>> {
        Ok(match &self.block(name)?.matrix {
            Matrix::Sparse(sparse) => Some(sparse.indices().as_ptr() as usize),
            Matrix::Dense(_) => None,
        })
    }

    /// Class names, and the classes of every node.
    fn labels(&self) -> Option<(Vec<String>, Vec<Vec<u32>>)> {
        let labels = self.graph.labels()?;
        let lists = (0..labels.len()).map(|node| labels.of(node).to_vec()).collect();
        Some((labels.class_names().to_vec(), lists))
    }
}

impl PyGraph {
    /// Another graph that was read in the same way.
    fn with_graph(&self, graph: Graph) -> PyGraph {
        let (info, warnings) = (self.info.clone(), self.warnings.clone());
        PyGraph { graph, info, warnings, readings: self.readings.clone() }
    }

    fn block(&self, name: &str) -> Result<&gage_embed::Block, BindingError> {
        self.graph.block(name).ok_or_else(|| {
            let known: Vec<&str> = self.graph.blocks().iter().map(|b| b.name.as_str()).collect();
            BindingError::Key(format!("there is no block `{name}`; there are {}", known.join(", ")))
        })
    }
}

/// The graph with masks on some of its blocks; what a block already says is missing stays missing.
fn masked(graph: &Graph, mut masks: Vec<(String, Vec<bool>)>) -> Result<Graph, BindingError> {
    let mut out = Graph::new(graph.nodes().clone());
    for block in graph.blocks() {
        let mut block = block.clone();
        if let Some(at) = masks.iter().position(|mask| mask.0 == block.name) {
            let mut mask = masks.swap_remove(at).1;
            if let Some(own) = &block.observed {
                mask.iter_mut().zip(own.as_slice()).for_each(|(mask, own)| *mask &= own);
            }
            block = block.observing(mask);
        }
        out = out.with_block(block)?;
    }
    if let Some((name, _)) = masks.first() {
        let known: Vec<&str> = graph.blocks().iter().map(|block| block.name.as_str()).collect();
        let known = known.join(", ");
        return Err(BindingError::Value(format!("a mask for `{name}`, but the views are {known}")));
    }
    match graph.labels() {
        Some(labels) => Ok(out.with_labels(labels.clone())?),
        None => Ok(out),
    }
}
