//! Graphs as plain values of Python and back, to be pickled: nothing is lost or read anew.

use gage_embed::graph::{BlockKind, TableEncoding};
use gage_embed::linalg::Values;
use gage_embed::{Block, Graph, Labels, Matrix, Nodes};
use pyo3::prelude::*;

use crate::arrays;
use crate::errors::BindingError;
use crate::handles::PyGraph;

/// A block: name, kind, shape, arrays, observed nodes, names of columns, and the encoding as JSON.
type BlockState<'py> = (
    String,
    &'static str,
    (usize, usize),
    Bound<'py, PyAny>,
    Option<Vec<bool>>,
    Option<Vec<String>>,
    Option<String>,
);
/// The same, as it comes back.
type BlockParts<'py> = (
    String,
    String,
    (usize, usize),
    Bound<'py, PyAny>,
    Option<Vec<bool>>,
    Option<Vec<String>>,
    Option<String>,
);
/// Compressed rows: pointers, columns, and numbers unless they are all ones.
type Rows<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);
type Classes = (Vec<String>, Vec<Vec<u32>>);

const DIRECTED: &str = "directed links";
const UNDIRECTED: &str = "links";
const ATTRIBUTES: &str = "attributes";

/// All blocks, as they are.
#[pyfunction]
pub(crate) fn block_states<'py>(
    py: Python<'py>,
    graph: &PyGraph,
) -> PyResult<Vec<BlockState<'py>>> {
    graph.graph.blocks().iter().map(|block| block_state(py, block)).collect()
}

/// A graph of such blocks.
#[pyfunction]
#[pyo3(signature = (count, ids, blocks, labels, info, warnings, readings="[]".to_owned()))]
pub(crate) fn graph_of_states(
    count: usize,
    ids: Option<Vec<String>>,
    blocks: Vec<BlockParts<'_>>,
    labels: Option<Classes>,
    info: Vec<String>,
    warnings: Vec<String>,
    readings: String,
) -> PyResult<PyGraph> {
    let nodes = match ids {
        Some(ids) => Nodes::named(ids).map_err(BindingError::from)?,
        None => Nodes::numbered(count),
    };
    let mut graph = Graph::new(nodes);
    for parts in blocks {
        graph = graph.with_block(block(parts)?).map_err(BindingError::from)?;
    }
    if let Some((names, lists)) = labels {
        let labels = Labels::from_lists(names, lists.into_iter());
        graph = graph.with_labels(labels).map_err(BindingError::from)?;
    }
    Ok(PyGraph { graph, info, warnings, readings })
}

fn block_state<'py>(py: Python<'py>, block: &Block) -> PyResult<BlockState<'py>> {
    let kind = match block.kind {
        BlockKind::Links { directed: true } => DIRECTED,
        BlockKind::Links { directed: false } => UNDIRECTED,
        BlockKind::Attributes => ATTRIBUTES,
    };
    let encoding = block.encoding.as_ref().map(serde_json::to_string).transpose();
    let mut arrays = arrays::matrix_to_numpy(py, &block.matrix)?;
    // Links that are all ones are not stored as numbers, nor are they here.
    if let Matrix::Sparse(sparse) = &block.matrix
        && matches!(sparse.values(), Values::Ones)
    {
        let (indptr, indices) = (arrays.get_item(0)?, arrays.get_item(1)?);
        arrays = (indptr, indices, py.None()).into_pyobject(py)?.into_any();
    }
    Ok((
        block.name.clone(),
        kind,
        (block.matrix.rows(), block.matrix.cols()),
        arrays,
        block.observed.as_ref().map(|mask| mask.as_slice().to_vec()),
        block.columns.clone(),
        encoding.map_err(BindingError::from)?,
    ))
}

fn block(parts: BlockParts<'_>) -> PyResult<Block> {
    let (name, kind, shape, arrays, observed, columns, encoding) = parts;
    let sparse: Option<Rows<'_>> = arrays.extract().ok();
    let matrix = match sparse {
        Some((indptr, indices, data)) => {
            Matrix::Sparse(arrays::sparse(shape, &indptr, &indices, data.as_ref())?)
        }
        None => Matrix::Dense(arrays::dense(&arrays)?),
    };
    let mut block = match (kind.as_str(), matrix) {
        (ATTRIBUTES, matrix) => Block::attributes(&name, matrix),
        (kind, Matrix::Sparse(links)) => Block::links(&name, links, kind == DIRECTED),
        _ => {
            let text = format!("`{name}`: found a dense matrix of links");
            return Err(BindingError::Value(text).into());
        }
    };
    block.columns = columns;
    let encoding: Option<TableEncoding> =
        encoding.map(|text| serde_json::from_str(&text)).transpose().map_err(BindingError::from)?;
    block.encoding = encoding;
    Ok(match observed {
        Some(observed) => block.observing(observed),
        None => block,
    })
}
