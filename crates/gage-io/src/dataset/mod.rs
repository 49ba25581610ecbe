//! Whole data sets: which file is what, the order of the nodes, and all parts aligned to it.

mod align;
mod assemble;
mod folder;
mod load;
mod memory;
mod new_nodes;
mod node_order;
mod parts;
mod reindex;
mod spec;
pub(crate) mod stems;
mod write_folder;

pub use load::{find_files, load, read_column_names};
pub use memory::{
    Column, Frame, IdList, Pairs, Pieces, assemble, dense_or_sparse, encode_frame, links_of_pairs,
};
pub use new_nodes::{NewDataError, NewTables, Newcomers, fitted_width, newcomers};
pub use spec::{Dataset, DatasetSpec, Directed, MatNames, ZeroRows};
pub use write_folder::{WrittenFolder, write_folder};
