//! Nearest nodes: by a scan of all rows, or by an index that is built once and reads a small part
//! of them.
//!
//! ```text
//! model or embedding -> Space -> nearest()                    exact, reads everything
//!                         |
//!                         +-> build() -> BuiltIndex -> file -> SearchIndex::nearest()
//! ```
//!
//! The index is an inverted file (Sivic and Zisserman 2003; Jegou, Douze and Schmid 2011): k-means
//! divides the rows into about `4 sqrt(n)` lists around centroids, the rows of a list are
//! contiguous in the file, and a search reads the lists of the centroids nearest to the query.
//! How many lists are read is chosen at the build, by comparison with exact neighbours; recall is
//! measured on other nodes and stored in the file.
//!
//! The file is mapped, not read: a search touches the centroids, some lists and a few ids. Every
//! block is checked against its checksum before the first use, so damage is an error, not a wrong
//! answer.

mod build;
mod error;
mod file;
mod lists;
mod query;
mod space;

pub use build::{BuiltIndex, IndexParams, build, extend};
pub use error::IndexError;
pub use file::{IndexInfo, Origin, Recall, SearchIndex, index_path};
pub use query::{Answer, nearest};
pub use space::{Metric, Neighbour, Space};
