//! Results of readers: links and attributes, not yet aligned with the nodes of a data set, and rows
//! of embeddings.

use gage_core::graph::{Labels, Matrix, Nodes, TableEncoding};
use gage_linalg::{AnyTall, SparseMatrix};

use crate::error::Origin;
use crate::note::Note;
use crate::reading::Reading;

/// What a format says about the direction of its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeSemantics {
    /// A matrix: links are undirected exactly if it is symmetric.
    Matrix,
    /// An edge list, in which an undirected link may stand once or both ways: the caller must
    /// say whether links are directed.
    EdgeList,
    /// Links that have a direction by definition, such as citations.
    Arcs,
}

/// Links as a file has them.
#[derive(Clone, Debug)]
pub struct LinkTable {
    /// Ids of rows and columns; `None` when they are positions.
    pub ids: Option<Nodes>,
    /// Entry (i, j) is the link from i to j.
    pub links: SparseMatrix,
    /// What the format says about directions.
    pub semantics: EdgeSemantics,
    /// The same links by the relation they belong to, if a column says so.
    pub relations: Vec<(String, SparseMatrix)>,
    /// What the reader decided or left out.
    pub warnings: Vec<Note>,
    /// What was taken as what, if the links stood in a table.
    pub reading: Option<Reading>,
}

impl LinkTable {
    /// Links of which there is nothing more to say.
    pub fn new(ids: Option<Nodes>, links: SparseMatrix, semantics: EdgeSemantics) -> LinkTable {
        let (relations, warnings, reading) = (Vec::new(), Vec::new(), None);
        LinkTable { ids, links, semantics, relations, warnings, reading }
    }
}

/// Attributes as a file has them.
#[derive(Clone, Debug)]
pub struct AttributeTable {
    /// Ids of the rows; `None` when they are positions.
    pub ids: Option<Nodes>,
    /// One row per node.
    pub matrix: Matrix,
    /// Names of the columns, if the file has them.
    pub columns: Option<Vec<String>>,
    /// How the cells of a table became numbers, if it was one.
    pub encoding: Option<TableEncoding>,
    /// Rows of which anything is known; `None` when all are.
    pub observed: Option<Vec<bool>>,
    /// Labels, for formats that keep them in the same file.
    pub labels: Option<Labels>,
    /// What the reader decided or left out.
    pub warnings: Vec<Note>,
    /// What was taken as what, if it was a table.
    pub reading: Option<Reading>,
}

impl From<Matrix> for AttributeTable {
    fn from(matrix: Matrix) -> Self {
        AttributeTable {
            ids: None,
            matrix,
            columns: None,
            encoding: None,
            observed: None,
            labels: None,
            warnings: Vec::new(),
            reading: None,
        }
    }
}

/// What a further file of a data set holds.
#[derive(Clone, Debug)]
pub enum ViewFile {
    /// A relation.
    Links(LinkTable),
    /// A table.
    Attributes(AttributeTable),
}

/// The rows of an embedding and the nodes they belong to.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddingRef<'a> {
    /// One node per row.
    pub nodes: &'a Nodes,
    /// One row per node.
    pub values: &'a AnyTall,
}

/// A warning about links that were given more than once.
pub(crate) fn repeated(origin: impl Into<Origin>, repeats: usize) -> Option<Note> {
    let origin: Origin = origin.into();
    let text = "links stand more than once; their weights were summed";
    (repeats > 0).then(|| Note::from(format!("{origin}: {repeats} {text}")))
}
