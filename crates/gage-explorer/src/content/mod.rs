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
pub(crate) use colours::Colour;
pub(crate) use columns::find_columns;
pub(crate) use export::csv;
pub(crate) use moved::moved;
pub(crate) use node::node_view;
pub(crate) use selection::summarise;
pub use whole::ExplorerParams;
pub(crate) use whole::{Content, SCANNED};
