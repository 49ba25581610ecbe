//! Nearest nodes: by a scan of all rows, or by an index that is built once and looks at a few rows only.
//!
//! ```text
//! model or embedding -> Space -> nearest()                    exact, reads everything
//!                         |
//!                         +-> build() -> Draft -> file -> SearchIndex::nearest()
//! ```
//!
//! The index is an inverted file (Sivic and Zisserman 2003; Jegou, Douze and Schmid 2011): k-means divides the rows
//! into about `4 sqrt(n)` lists around centres, the rows of a list stand together in the file, and a search reads the
//! lists of the centres nearest to the wanted row. How many is found out at the build, by comparison with exact answers,
//! and the share of true neighbours found so is measured on other nodes and kept in the file.
//!
//! The file is mapped, not read: a search touches the centres, some lists and a few ids. Every block is checked against
//! its checksum before the first use, so damage is an error, not a wrong answer.

mod build;
mod centres;
mod error;
mod exact;
mod file;
mod ids;
mod kernel;
mod layout;
mod origin;
mod query;
mod space;
mod tune;

pub use build::{Draft, IndexParams, build};
pub use error::IndexError;
pub use exact::nearest;
pub use file::SearchIndex;
pub use layout::{IndexInfo, Recall};
pub use origin::Origin;
pub use query::Answer;
pub use space::{Metric, Neighbour, Space};
