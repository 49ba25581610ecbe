//! Attribute tables: what the columns hold, and their cells as numbers.

pub(crate) mod cells;
pub(crate) mod column_names;
mod columns;
pub(crate) mod encode;
mod learn;
pub(crate) mod options;
mod profile;
pub(crate) mod rows;
pub(crate) mod schema;
pub(crate) mod text;
mod vocabulary;
