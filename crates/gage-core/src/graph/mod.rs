//! Graphs: nodes with named blocks of links and attributes.
//!
//! A [`Graph`] is a list of nodes and any number of named [`Block`]s, each a matrix with one row
//! per node. The adjacency is a block of kind [`BlockKind::Links`], the attributes one of kind
//! [`BlockKind::Attributes`]. Further relations or tables are further blocks. A block may have a
//! mask of observed nodes: *missing is not zero*.

mod block;
mod encoding;
mod labels;
mod nodes;

pub use block::{Block, BlockKind, Mask, Matrix};
pub use encoding::TableEncoding;
pub use encoding::{ColumnKind, DateOrder, NumberFormat, TableColumn};
pub use labels::Labels;
pub use nodes::NamesBuilder;
pub use nodes::{Nodes, NodesError};

use std::collections::BTreeMap;
use std::ops::Range;

use thiserror::Error;

use crate::hint::Hint;
use gage_linalg::SparseError;

/// Name of the block that holds the main graph.
pub const LINKS: &str = "links";
/// Name of the block that holds the main attribute table.
pub const ATTRIBUTES: &str = "attributes";

/// Why nodes and blocks do not fit together.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum GraphError {
    /// A block has another number of rows than there are nodes.
    #[error("block `{block}` has {rows} rows, but there are {nodes} nodes")]
    Rows {
        /// name of the block
        block: String,
        /// its rows
        rows: usize,
        /// number of nodes
        nodes: usize,
    },
    /// A block of links is not square.
    #[error("links `{block}` have {columns} columns, but there are {nodes} nodes")]
    NotSquare {
        /// name of the block
        block: String,
        /// its columns
        columns: usize,
        /// number of nodes
        nodes: usize,
    },
    /// A mask has another length than there are nodes.
    #[error("the mask of block `{block}` has {length} entries, but there are {nodes} nodes")]
    MaskLength {
        /// name of the block
        block: String,
        /// its length
        length: usize,
        /// number of nodes
        nodes: usize,
    },
    /// Two blocks carry one name.
    #[error("two blocks are called `{block}`")]
    DuplicateBlock {
        /// the name
        block: String,
    },
    /// Labels for another number of nodes.
    #[error("{labels} labels, but there are {nodes} nodes")]
    LabelCount {
        /// number of labels
        labels: usize,
        /// number of nodes
        nodes: usize,
    },
}

impl GraphError {
    /// What to do about it, if anything is known.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            GraphError::Rows { .. } => Some("each node needs one row".into()),
            GraphError::NotSquare { .. } => Some("an adjacency is square".into()),
            GraphError::DuplicateBlock { .. } => Some("names must differ".into()),
            GraphError::MaskLength { .. } | GraphError::LabelCount { .. } => None,
        }
    }
}

/// Nodes with any number of blocks of links and attributes, and perhaps labels.
///
/// ```
/// use gage_embed::{Block, Graph, Nodes, SparseMatrix};
/// let links = SparseMatrix::from_triplets(3, 3, &[(0, 1, 1.0), (1, 0, 1.0)])?;
/// let words = SparseMatrix::from_triplets(3, 2, &[(0, 0, 1.0), (2, 1, 1.0)])?;
/// let graph = Graph::new(Nodes::numbered(3))
///     .with_block(Block::links("links", links, false))?
///     .with_block(Block::attributes("attributes", words))?;
/// assert_eq!(graph.blocks().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Nodes,
    blocks: Vec<Block>,
    labels: Option<Labels>,
}

impl Graph {
    /// Nodes about which nothing is known yet.
    pub fn new(nodes: Nodes) -> Graph {
        Graph { nodes, blocks: Vec::new(), labels: None }
    }

    /// Adds a block; checks that it has one row per node and, for links, one column per node.
    pub fn with_block(mut self, block: Block) -> Result<Graph, GraphError> {
        let (nodes, name) = (self.nodes.len(), block.name.clone());
        let rows = block.matrix.rows();
        if rows != nodes {
            return Err(GraphError::Rows { block: name, rows, nodes });
        }
        let (columns, all) = (block.matrix.cols(), self.nodes.all());
        if matches!(block.kind, BlockKind::Links { .. }) && columns != all {
            return Err(GraphError::NotSquare { block: name, columns, nodes: all });
        }
        if let Some(mask) = &block.observed
            && mask.len() != nodes
        {
            return Err(GraphError::MaskLength { block: name, length: mask.len(), nodes });
        }
        if self.block(&name).is_some() {
            return Err(GraphError::DuplicateBlock { block: name });
        }
        self.blocks.push(block);
        Ok(self)
    }

    /// Sets the labels.
    pub fn with_labels(mut self, labels: Labels) -> Result<Graph, GraphError> {
        let nodes = self.nodes.len();
        if labels.len() != nodes {
            return Err(GraphError::LabelCount { labels: labels.len(), nodes });
        }
        self.labels = Some(labels);
        Ok(self)
    }

    /// The nodes.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// The blocks of links, and whether each has a direction.
    pub fn relations(&self) -> BTreeMap<String, bool> {
        let relation = |block: &Block| match block.kind {
            BlockKind::Links { directed } => Some((block.name.clone(), directed)),
            BlockKind::Attributes => None,
        };
        self.blocks.iter().filter_map(relation).collect()
    }

    /// How tables among the blocks became numbers, by the name of the block.
    pub fn encodings(&self) -> BTreeMap<String, TableEncoding> {
        let encoding = |block: &Block| Some((block.name.clone(), block.encoding.clone()?));
        self.blocks.iter().filter_map(encoding).collect()
    }

    /// All blocks, in the order they were added.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The block of that name.
    pub fn block(&self, name: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| block.name == name)
    }

    /// The rows of some nodes, for one of several workers. Links keep the columns of all nodes and
    /// know whether the whole is symmetric.
    pub fn part(&self, range: Range<usize>) -> Result<Graph, SparseError> {
        let rows: Vec<u32> = range.clone().map(|row| row as u32).collect();
        let blocks = self.blocks.iter().map(|block| block.rows(&rows));
        let blocks = blocks.collect::<Result<_, _>>()?;
        let labels = self.labels.as_ref().map(|labels| labels.select(&rows));
        Ok(Graph { nodes: self.nodes.part(range), blocks, labels })
    }

    /// The same nodes with some of the blocks.
    pub(crate) fn with_blocks_of(&self, keep: impl Fn(&Block) -> bool) -> Graph {
        let blocks = self.blocks.iter().filter(|block| keep(block)).cloned().collect();
        Graph { blocks, ..self.clone() }
    }

    /// The labels, if any.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_ref()
    }
}
