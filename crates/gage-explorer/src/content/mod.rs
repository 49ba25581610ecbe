//! What there is to show: nodes, their data, colours, selections.

mod agreement;
mod clusters;
mod colours;
mod columns;
mod data;
mod describe;
mod export;
mod moved;
mod names;
mod node;
mod selection;
mod statistics;
mod whole;

pub(crate) use agreement::{AgreementAt, agreement};
pub(crate) use clusters::Clusters;
pub(crate) use colours::{Colour, colourings};
pub(crate) use columns::find_columns;
pub(crate) use describe::{About, AboutView};
pub(crate) use export::{csv, parquet};
pub(crate) use moved::moved;
pub(crate) use node::node_view;
pub(crate) use selection::summarise;
pub use whole::ExplorerParams;
pub(crate) use whole::{Content, SCANNED};
