//! Whole data sets: which file is what, the order of the nodes, and all parts aligned to it.

mod align;
mod files;
mod folder;
mod graph_of_parts;
mod join_rule;
mod load;
mod mat_parts;
mod memory;
mod named_columns;
mod names;
mod new_nodes;
mod node_order;
mod parts;
mod reindex;
mod reorder;
mod spec;
mod spelling;
pub(crate) mod stems;
mod write_folder;

pub use files::find_files;
pub use join_rule::{Align, IdSpelling, JoinRule};
pub use load::load;
pub use memory::{
    Column, DatasetParts, EdgeFrame, Frame, IdList, Pairs, assemble, dense_or_sparse, edge_frame,
    encode_frame, links_of_pairs,
};
pub use names::read_column_names;
pub use new_nodes::{
    AlignedNewNodes, NewDataError, NewTables, align_new_nodes, fitted_width, is_relation,
};
pub use parts::relation_block;
pub use reorder::{AlignedLabels, align_labels, reorder};
pub use spec::{Dataset, DatasetSpec, Directed, MatNames, ZeroRows};
pub use spelling::find_node;
pub use write_folder::{WrittenFolder, write_folder};
