//! The parts of a data set as they were read, before alignment.

use gage_core::graph::Nodes;

use crate::contents::{AttributeTable, LinkTable};
use crate::error::Origin;
use crate::labels::LabelTable;

/// A part of a data set and where it is from.
pub(crate) struct Part<T> {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) value: T,
}

/// Everything that was read, not yet put together.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) nodes: Option<Part<Nodes>>,
    pub(crate) links: Vec<Part<LinkTable>>,
    pub(crate) attributes: Vec<Part<AttributeTable>>,
    pub(crate) labels: Option<Part<LabelTable>>,
    pub(crate) class_names: Option<Vec<String>>,
    pub(crate) info: Vec<String>,
    pub(crate) warnings: Vec<String>,
}
