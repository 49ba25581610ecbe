//! A matrix with one row per node, and which rows are known.

use gage_linalg::{DenseMatrix, SparseError, SparseMatrix};

use super::encoding::TableEncoding;

/// Which nodes a block observes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    observed: Vec<bool>,
    count: usize,
}

impl Mask {
    /// A mask from one flag per node: `true` where the node is observed.
    pub fn new(observed: Vec<bool>) -> Mask {
        let count = observed.iter().filter(|&&o| o).count();
        Mask { observed, count }
    }

    /// Number of nodes, observed or not.
    pub fn len(&self) -> usize {
        self.observed.len()
    }

    /// Whether there are no nodes at all.
    pub fn is_empty(&self) -> bool {
        self.observed.is_empty()
    }

    /// Number of observed nodes.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether `node` is observed.
    #[inline]
    pub fn contains(&self, node: usize) -> bool {
        self.observed[node]
    }

    /// One flag per node.
    pub fn as_slice(&self) -> &[bool] {
        &self.observed
    }
}

/// A sparse or dense matrix.
#[derive(Clone, Debug, PartialEq)]
pub enum Matrix {
    /// Compressed sparse rows; what is not stored is zero.
    Sparse(SparseMatrix),
    /// Row-major; NaN is a missing entry.
    Dense(DenseMatrix),
}

impl Matrix {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Matrix::Sparse(matrix) => matrix.rows(),
            Matrix::Dense(matrix) => matrix.rows(),
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Matrix::Sparse(matrix) => matrix.cols(),
            Matrix::Dense(matrix) => matrix.cols(),
        }
    }

    /// Number of stored numbers.
    pub fn nnz(&self) -> usize {
        match self {
            Matrix::Sparse(matrix) => matrix.nnz(),
            Matrix::Dense(matrix) => matrix.rows() * matrix.cols(),
        }
    }

    /// Bytes the matrix takes.
    pub fn bytes(&self) -> usize {
        match self {
            Matrix::Sparse(matrix) => matrix.bytes(),
            Matrix::Dense(matrix) => matrix.bytes(),
        }
    }
}

impl From<SparseMatrix> for Matrix {
    fn from(matrix: SparseMatrix) -> Self {
        Matrix::Sparse(matrix)
    }
}

impl From<DenseMatrix> for Matrix {
    fn from(matrix: DenseMatrix) -> Self {
        Matrix::Dense(matrix)
    }
}

/// What the columns of a block are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Columns are nodes: entry (i, j) is the weight of the link from i to j.
    Links {
        /// Whether (i, j) and (j, i) mean different things. An undirected block stores both.
        directed: bool,
    },
    /// Columns are attributes.
    Attributes,
}

/// A named matrix with one row per node.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Unique name, by which views refer to the block.
    pub name: String,
    /// Links or attributes.
    pub kind: BlockKind,
    /// The numbers.
    pub matrix: Matrix,
    /// Observed nodes; `None` when all are.
    pub observed: Option<Mask>,
    /// Names of the columns of an attribute block, if known.
    pub columns: Option<Vec<String>>,
    /// How the cells of a table became the numbers, if it was one.
    pub encoding: Option<TableEncoding>,
}

impl Block {
    /// A graph of links; (i, j) is the link from i to j.
    pub fn links(name: &str, matrix: SparseMatrix, directed: bool) -> Block {
        Block {
            name: name.to_owned(),
            kind: BlockKind::Links { directed },
            matrix: matrix.into(),
            observed: None,
            columns: None,
            encoding: None,
        }
    }

    /// A table of attributes.
    pub fn attributes(name: &str, matrix: impl Into<Matrix>) -> Block {
        Block {
            name: name.to_owned(),
            kind: BlockKind::Attributes,
            matrix: matrix.into(),
            observed: None,
            columns: None,
            encoding: None,
        }
    }

    /// The block of some nodes. Links keep their columns.
    pub(super) fn rows(&self, rows: &[u32]) -> Result<Block, SparseError> {
        let matrix = match &self.matrix {
            Matrix::Sparse(matrix) => {
                let part = matrix.select_rows(rows)?;
                let links = matches!(self.kind, BlockKind::Links { .. });
                let symmetric = links.then(|| matrix.is_symmetric());
                Matrix::Sparse(match symmetric {
                    Some(symmetric) => part.with_symmetry(symmetric),
                    None => part,
                })
            }
            Matrix::Dense(matrix) => Matrix::Dense(matrix.select_rows(rows)),
        };
        let flags = |mask: &Mask| rows.iter().map(|&row| mask.contains(row as usize)).collect();
        let observed = self.observed.as_ref().map(|mask| Mask::new(flags(mask)));
        Ok(Block { matrix, observed, ..self.clone() })
    }

    /// Says which nodes the block observes; the rows of the others are ignored, whatever they hold.
    pub fn observing(mut self, observed: Vec<bool>) -> Block {
        self.observed = Some(Mask::new(observed));
        self
    }
}
