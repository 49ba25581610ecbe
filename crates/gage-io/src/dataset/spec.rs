//! The location of a data set, and options for reading it.

use std::path::PathBuf;

use gage_core::graph::Graph;

use crate::dataset::join_rule::JoinRule;
use crate::note::Note;
use crate::reading::{ColumnOptions, Reading};

/// What an all-zero row of a matrix file means. Rows of tables with ids are not concerned: there,
/// absence is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZeroRows {
    /// The node is known to have nothing: no links, no attributes.
    #[default]
    Zero,
    /// Nothing is known about the node.
    Missing,
}

/// Whether links have a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Directed {
    /// What the file says: a matrix is undirected exactly if it is symmetric, `.cites` is directed.
    /// An edge list says nothing, and is undirected.
    #[default]
    Auto,
    /// Directed, symmetric or not.
    Yes,
    /// Undirected: each pair of nodes gets the stronger weight of its two directions.
    No,
}

/// Names of the variables of a `.mat` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatNames {
    /// The links; `network` by default.
    pub links: String,
    /// The attributes; `feature` by default.
    pub attributes: String,
    /// The labels; `group` by default.
    pub labels: String,
}

impl Default for MatNames {
    fn default() -> Self {
        MatNames { links: "network".into(), attributes: "feature".into(), labels: "group".into() }
    }
}

/// Where a data set is, and how to understand it. Files named one by one take the place of those
/// found at `source`.
///
/// ```no_run
/// use gage_embed::io::{DatasetSpec, load};
/// let cora = load(&DatasetSpec::at("datasets/cora"))?;
/// let mut spec = DatasetSpec::default();
/// spec.graph = Some("edges.csv.gz".into());
/// spec.attributes = Some("people.csv".into());
/// let people = load(&spec)?;
/// # Ok::<(), gage_embed::io::ReadError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DatasetSpec {
    /// A folder, a `.mat` file, or a single graph file.
    pub source: Option<PathBuf>,
    /// The main graph.
    pub graph: Option<PathBuf>,
    /// The main attribute table.
    pub attributes: Option<PathBuf>,
    /// Further relations or tables, by name.
    pub views: Vec<(String, PathBuf)>,
    /// Classes.
    pub labels: Option<PathBuf>,
    /// Names of the nodes, in row order.
    pub nodes: Option<PathBuf>,
    /// Names of the attribute columns.
    pub columns: Option<PathBuf>,
    /// What all-zero rows of matrix files mean.
    pub zero_rows: ZeroRows,
    /// Whether links have a direction.
    pub directed: Directed,
    /// What is said about the columns of tables and edge lists.
    pub reading: ColumnOptions,
    /// Variables of a `.mat` file.
    pub mat: MatNames,
    /// How rows meet nodes.
    pub join: JoinRule,
}

impl DatasetSpec {
    /// The data set at one place, with default options.
    pub fn at(source: impl Into<PathBuf>) -> DatasetSpec {
        DatasetSpec { source: Some(source.into()), ..DatasetSpec::default() }
    }
}

/// A graph with what there is to say about how it was read.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// The graph.
    pub graph: Graph,
    /// How the files were understood.
    pub info: Vec<Note>,
    /// What deserves a second look.
    pub warnings: Vec<Note>,
    /// What was taken as what in each table, edge list and file of labels.
    pub readings: Vec<Reading>,
}
