//! Attribute tables: what the columns hold, and their cells as numbers.

pub(crate) mod column_names;
mod columns;
pub(crate) mod encode;
pub(crate) mod options;
pub(crate) mod schema;
pub(crate) mod text;
mod vocabulary;
