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

pub(crate) use agreement::{AgreementAt, agreement};
pub(crate) use clusters::Clusters;
pub(crate) use colours::{Colour, colourings};
pub(crate) use columns::find_columns;
pub(crate) use data::Data;
pub(crate) use describe::{About, describe_views};
pub(crate) use export::csv;
pub(crate) use moved::moved;
pub(crate) use names::Names;
pub(crate) use node::node_view;
pub(crate) use selection::summarise;
