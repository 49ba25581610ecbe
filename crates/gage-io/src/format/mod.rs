//! Readers and writers: one file or folder per format.

pub(crate) mod by_extension;
pub(crate) mod csr;
pub(crate) mod delimited;
pub(crate) mod dtype;
pub(crate) mod edge_list;
pub(crate) mod embedding_error;
pub(crate) mod graph_file;
pub(crate) mod labels;
pub(crate) mod link_format;
pub(crate) mod linqs;
pub(crate) mod mat;
pub(crate) mod mtx;
pub(crate) mod node_names;
pub(crate) mod npy;
pub(crate) mod npz;
#[cfg_attr(not(feature = "parquet"), path = "parquet_disabled.rs")]
pub(crate) mod parquet;
pub(crate) mod safetensors;
pub(crate) mod word2vec;
