//! `gage convert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gage_embed::io::EmbeddingFormat;

use super::DataArgs;
use crate::args::options::embedding_format;

const EXAMPLES: &str = "\
Examples:
  gage convert wiki.mat wiki/                a data set as a folder of npz files and nodes.txt
  gage convert edges.csv adj.npz             an edge list as a scipy matrix (ids in adj.ids.txt)
  gage convert adj.npz adj.mtx               a matrix as Matrix Market
  gage convert big/ mapped/ --mapped         a data set that is fitted without reading it
  gage convert big/ shards/ --shards 64      in parts, for `gage-mpi embed`
  gage convert cora/ edges.tsv               the links of a data set as an edge list
  gage convert cora.npy cora.csv             an embedding as a table (ids from cora.ids.txt)
  gage convert cora.safetensors cora.bin     ... as word2vec

Output formats: a folder (no extension); links as .npz, .csr, .mtx, .csv, .tsv; embeddings as with
`gage embed`.";

/// Convert data sets, graphs and embeddings between formats.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// Data set, graph or embedding
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// Folder or file to write
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// What IN is, if its name and content do not say it
    #[arg(long, value_enum)]
    pub(crate) kind: Option<Kind>,
    /// Format of an embedding, if the extension of OUT does not say it
    #[arg(long, value_parser = embedding_format())]
    pub(crate) format: Option<EmbeddingFormat>,
    /// Write the matrices of a folder as .csr files, which are mapped into memory instead of being
    /// read
    #[arg(long)]
    pub(crate) mapped: bool,
    /// Write a data set in this many parts, which several processes fit together (gage-mpi). Of
    /// mapped matrices (--mapped) no more than one part is in memory at a time
    #[arg(long, value_name = "P", conflicts_with_all = ["mapped", "format"])]
    pub(crate) shards: Option<std::num::NonZeroUsize>,
    /// What an all-zero row of a matrix file means
    #[arg(long, value_enum, default_value_t = super::data::ZeroRowsArg::Zero)]
    pub(crate) zero_rows: super::data::ZeroRowsArg,
    #[command(flatten)]
    pub(crate) reading: super::ColumnArgs,
    #[command(flatten)]
    pub(crate) join: super::JoinArgs,
    /// Whether links have a direction; without this, edge lists are undirected
    #[arg(long, value_enum)]
    pub(crate) directed: Option<super::data::DirectedArg>,
}

impl ConvertArgs {
    /// The input as a data set.
    pub(crate) fn data(&self) -> DataArgs {
        DataArgs {
            dataset: Some(self.input.clone()),
            zero_rows: self.zero_rows,
            directed: self.directed,
            reading: self.reading.clone(),
            join: self.join,
            ..DataArgs::default()
        }
    }
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// links, perhaps with attributes
    Data,
    /// one vector per node
    Embedding,
}
