//! Files: readers and writers of graphs, attributes, labels, names and embeddings, and whole data
//! sets made of them.
//!
//! Every reader takes a path and returns a value or a [`ReadError`] that says which file, where in
//! it, what was found, what was expected and what to do. Nothing is allocated because a header says
//! so: sizes are checked against the bytes there are, compressed data are bounded, and every index
//! is checked.

mod artifact;
mod contents;
mod dataset;
mod embedding;
mod error;
mod format;
mod labels;
mod node_ids;
mod note;
mod reading;
mod recipe;
mod shards;
mod source;
mod sparse_builder;
mod symmetrize;
mod table;
mod text;

pub use artifact::error::WriteError;
pub use artifact::inputs::Inputs;
pub use artifact::staging::{Staging, Target, TemporaryFolders};
pub use contents::{AttributeTable, EdgeSemantics, EmbeddingRef, LinkTable, ViewFile};
pub use dataset::{
    Align, AlignedLabels, AlignedNewNodes, Column, Dataset, DatasetParts, DatasetSpec, Directed,
    EdgeFrame, Frame, IdList, IdSpelling, JoinRule, MatNames, NewDataError, NewTables, Pairs,
    WrittenFolder, ZeroRows, align_labels, align_new_nodes, assemble, dense_or_sparse, edge_frame,
    encode_frame, find_files, find_node, fitted_width, is_relation, links_of_pairs, load,
    read_column_names, relation_block, reorder, write_folder,
};
pub use embedding::{
    EmbeddingFormat, EmbeddingWriter, ids_path, is_embedding_file, is_model_file, parquet_of_ids,
    read_embedding, row_files,
};
pub use error::{Origin, Place, ReadError, ReadErrorKind};
pub use format::by_extension::{
    read_attributes, read_attributes_like, read_links, read_links_with, read_view,
};
pub use format::csr::{read_csr, write_csr};
pub use format::delimited::write::write_ids;
pub use format::edge_list::read::read_edge_list;
pub use format::edge_list::write::write_edge_list;
pub use format::graph_file::{GraphFile, read_graph_file, read_graphml};
pub use format::labels::{read_labels, read_labels_with};
pub use format::link_format::LinkFormat;
pub use format::linqs::{read_cites, read_content};
pub use format::mat::read::{MatFile, read_mat};
pub use format::mtx::read::read_mtx;
pub use format::mtx::write::write_mtx;
pub use format::node_names::read_nodes;
pub use format::npy::read::{Array, read_npy};
pub use format::npy::write::{NpyArray, Sink};
pub use format::npz::read::{read_npz, read_npz_arrays};
pub use format::npz::write::{CsrArrays, IndexSink, write_npz, write_npz_csr, write_npz_matrix};
pub use format::parquet::{read_parquet_edges, read_parquet_table};
pub use gage_core::artifact::{ModelFileError, StateFileError, write_atomically, write_synced};
pub use labels::{LabelTable, from_numbers as labels_from_numbers};
pub use note::Note;
pub use reading::{CellKind, ColumnOptions, ColumnReading, IdColumn, Reading, Role, RowKind};
pub use recipe::{read_recipe, recipe_of_json, recipe_of_toml, recipe_text};
pub use shards::{
    BlockEntry, Manifest, PartEntry, Shards, is_sharded_embedding, part_embedding,
    read_sharded_embedding, write_shards,
};
pub use source::{exists, is_stream, keep_streams, repeated_stream};
pub use table::column_names::{ID_NAMES, SOURCE_NAMES, TARGET_NAMES, WEIGHT_NAMES};
pub use table::text::read_attribute_table;
