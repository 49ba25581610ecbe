//! Files in: readers for graphs, attributes, labels and names, and whole data sets made of them.
//!
//! Every reader takes a path and returns a value or a [`ReadError`] that says which file, where in it, what was
//! found, what was expected and what to do. Nothing is allocated because a header says so: sizes are checked against
//! the bytes there are, compressed data are bounded, and every index is checked.

mod assemble;
mod columns;
mod csr;
mod dataset;
mod dialect;
mod edge_lines;
mod edge_text;
mod edges;
mod error;
mod folder;
mod formats;
mod graphml;
mod identify;
mod intern;
mod join;
mod labels;
mod layout;
mod lines;
mod linqs;
mod mat;
mod mat_element;
mod matrix;
mod memory;
mod mtx;
mod newcomers;
mod nodes;
mod npy;
mod npz;
mod numbers;
#[cfg_attr(not(feature = "parquet"), path = "parquet_disabled.rs")]
mod parquet_file;
mod place;
mod source;
mod spec;
mod table;
mod words;
mod zip;

pub use csr::{read_csr, write_csr};
pub use dataset::{find_files, load, read_column_names};
pub use edges::read_edge_list;
pub use error::{Place, ReadError};
pub use formats::{
    AttributeTable, LinkTable, Listing, ViewFile, read_attributes, read_attributes_like,
    read_links, read_view,
};
pub use gage_core::artifact::{ModelFileError, StateFileError, write_atomically, write_synced};
pub use graphml::{GraphMlFile, read_graphml};
pub use labels::{LabelTable, from_numbers as labels_from_numbers, read_labels};
pub use linqs::{read_cites, read_content};
pub use mat::{MatFile, read_mat};
pub use memory::{
    Column, Frame, IdList, Pairs, Pieces, assemble, dense_or_sparse, encode_frame, links_of_pairs,
};
pub use mtx::read_mtx;
pub use newcomers::{NewDataError, NewTables, Newcomers, fitted_width, newcomers};
pub use nodes::read_nodes;
pub use npy::{Array, read_npy};
pub use npz::{read_npz, read_npz_arrays};
pub use parquet_file::{read_parquet_edges, read_parquet_table};
pub use spec::{Dataset, DatasetSpec, Directed, IdColumn, MatNames, ZeroRows};
pub use table::read_attribute_table;
