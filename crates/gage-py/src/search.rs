//! Search indexes: files from which nearest nodes are read at once.

use std::path::{Path, PathBuf};

use gage_embed::io::{Inputs, Staging, TemporaryFolders, is_model_file, read_embedding, row_files};
use gage_embed::search::{
    IndexError, IndexParams, Metric, Origin, SearchIndex, Space, build, extend, index_path,
};
use gage_embed::{AnyTall, Lambda, Model, Nodes};
use pyo3::prelude::*;

use crate::errors::BindingError;
use crate::new_nodes::position;
use crate::options::lambda;
use crate::run::{Terms, Watch, run, run_detached};

/// An index, mapped into memory.
#[pyclass(name = "SearchIndex", frozen, module = "gage_embed._native")]
pub(crate) struct PySearchIndex {
    index: SearchIndex,
    path: PathBuf,
}

/// The file where an index of these shares and this metric is found, and the rows it is made of.
enum Source {
    Model(Box<Model>),
    Embedding(Nodes, AnyTall),
}

/// What is built.
struct Request {
    model: PathBuf,
    output: PathBuf,
    lambda: Lambda,
    params: IndexParams,
    /// the index that is extended
    before: Option<PySearchIndex>,
}

#[pymethods]
impl PySearchIndex {
    /// Builds the index of a model file or an embedding, writes it and opens it.
    #[staticmethod]
    #[pyo3(signature = (model, output=None, lam=None, shares=None, distance=false, recall=None,
        extend=None, seed=0, threads=None))]
    fn build(
        py: Python<'_>,
        model: PathBuf,
        output: Option<PathBuf>,
        lam: Option<f64>,
        shares: Option<Vec<f64>>,
        distance: bool,
        recall: Option<f64>,
        extend: Option<PathBuf>,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<PySearchIndex> {
        let before = extend.map(open).transpose()?;
        let metric = if distance { Metric::Distance } else { Metric::Cosine };
        let metric = before.as_ref().map_or(metric, |before| before.index.info().metric);
        let lambda = lambda(lam, shares);
        let target = recall.unwrap_or(IndexParams::default().target);
        let params = IndexParams { metric, target, seed };
        let output = output.unwrap_or_else(|| index_path(&model, &lambda, metric));
        let request = Request { model, output, lambda, params, before };
        let terms = Terms { threads, report: None };
        run(py, &terms, move |_: &Watch| {
            request.write()?;
            open(request.output)
        })
    }

    /// Opens an index file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<PySearchIndex> {
        Ok(run_detached(py, || open(path))?)
    }

    /// Where it is.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// How it was built and how much it finds, as JSON.
    fn info(&self) -> PyResult<String> {
        Ok(serde_json::to_string(self.index.info()).map_err(BindingError::from)?)
    }

    /// Position of a node by its id.
    #[pyo3(signature = (id, ids=None))]
    fn find(&self, id: &str, ids: Option<&str>) -> PyResult<usize> {
        let fail = |error| self.failure(&error);
        if let Some(found) = self.index.find(id).map_err(fail)? {
            return Ok(found);
        }
        let of = format!("the index {}", self.path.display());
        Ok(position(&self.index.nodes().map_err(fail)?, id, ids, &of)?)
    }

    /// Nearest nodes: id, cosine or squared distance, and what each view contributes to it.
    fn similar(&self, py: Python<'_>, node: usize, count: usize) -> PyResult<Named> {
        if node >= self.index.info().nodes {
            let text = format!("node {node} of an index of {} nodes", self.index.info().nodes);
            return Err(BindingError::Index(text).into());
        }
        let named = || -> Result<Option<Named>, IndexError> {
            let Some(answer) = self.index.nearest(node, count)? else { return Ok(None) };
            let near = answer.neighbours.into_iter();
            let named = near.map(|near| Ok((self.index.id(near.node)?, near.value, near.by_view)));
            named.collect::<Result<Named, IndexError>>().map(Some)
        };
        let found = run_detached(py, || named().map_err(|error| self.failure(&error)))?;
        Ok(found.ok_or_else(|| {
            BindingError::Value(format!("node {node} has no view at all, so nothing is near it"))
        })?)
    }
}

/// Ids of near nodes, how near, and what each view contributes.
type Named = Vec<(String, f64, Vec<f64>)>;

impl PySearchIndex {
    fn failure(&self, error: &IndexError) -> BindingError {
        BindingError::of_index(&self.path, error)
    }
}

fn open(path: PathBuf) -> Result<PySearchIndex, BindingError> {
    let index = SearchIndex::open(&path).map_err(|error| BindingError::of_index(&path, &error))?;
    Ok(PySearchIndex { index, path })
}

impl Request {
    fn write(&self) -> Result<(), BindingError> {
        let files = row_files(&self.model);
        let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
        let inputs = files.iter().fold(Inputs::default(), |inputs, file| inputs.and(file));
        let inputs = self.before.iter().fold(inputs, |inputs, before| inputs.and(&before.path));
        let temporary = TemporaryFolders::default();
        let mut staging = Staging::new(inputs, &temporary);
        let target = staging.claim(&self.output)?;
        let of_index = |error: IndexError| BindingError::of_index(&self.model, &error);
        let source = Source::read(&self.model)?;
        let space = source.space(&self.lambda)?;
        let origin = Origin::of(&files)?;
        let built = match &self.before {
            Some(before) => {
                extend(&space, &before.index, origin).map_err(|error| before.failure(&error))?
            }
            None => build(&space, &self.params, origin).map_err(of_index)?,
        };
        staging.write(&target, |out| built.write(out))?;
        Ok(staging.commit()?)
    }
}

impl Source {
    fn read(path: &Path) -> Result<Source, BindingError> {
        if is_model_file(path) {
            return Ok(Source::Model(Box::new(Model::load(path)?)));
        }
        let (nodes, numbers) = read_embedding(path)?;
        let finite = |row: &usize| numbers.row_f64(*row).iter().all(|value| value.is_finite());
        if let Some(row) = (0..numbers.rows()).find(|row| !finite(row)) {
            let place = format!("{}: row {row} (node `{}`)", path.display(), nodes.id(row));
            let text = format!("{place}: found NaN or infinity, expected finite numbers");
            return Err(BindingError::Value(text));
        }
        Ok(Source::Embedding(nodes, numbers))
    }

    fn space(&self, lambda: &Lambda) -> Result<Space<'_>, BindingError> {
        Ok(match self {
            Source::Model(model) => Space::of_model(model, lambda)?,
            Source::Embedding(..) if *lambda != Lambda::Preset => {
                let text = "lam: an embedding has no views; give a model";
                return Err(BindingError::Value(text.to_owned()));
            }
            Source::Embedding(nodes, numbers) => Space::of_embedding(nodes, numbers),
        })
    }
}
