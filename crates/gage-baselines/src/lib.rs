//! Other methods for node embeddings, to compare `gage` with: written anew from their published
//! descriptions, behind one trait, on the same linear algebra.
//!
//! | name | method | reads |
//! |---|---|---|
//! | `svd` | [`ConcatenatedSvd`]: truncated SVDs side by side | links, attributes |
//! | `ssgc` | [`Ssgc`]: attributes averaged over 1 to 8 steps, truncated SVD | links, attributes |
//! | `pane` | [`Pane`]: node-attribute affinities of random walks | links, attributes |
//! | `tadw` | [`Tadw`]: random-walk matrix factorised through the text | links, attributes |
//! | `tpine` | [`TPine`]: CP decomposition of links and nearest neighbours | links, attributes |
//! | `deepwalk` | [`DeepWalk`]: skip-gram over random walks | links |
//! | `gae`, `vgae` | [`GraphAutoencoder`]: graph convolutions that predict the links | both |
//! | `dgi` | [`Dgi`]: a graph convolution that tells real from shuffled attributes | both |
//! | `age` | [`Age`]: smoothed attributes, trained on its own best pairs | both |
//! | `dane` | [`Dane`]: autoencoders of walks and of attributes that agree | both |
//!
//! ```
//! use gage_embed::{Block, Graph, NoObserver, Nodes, SparseMatrix};
//! let pairs = [(0, 1, 1.0), (1, 0, 1.0), (2, 3, 1.0), (3, 2, 1.0)];
//! let links = SparseMatrix::from_triplets(4, 4, &pairs)?;
//! let words = [(0, 0, 2.0), (1, 1, 1.0), (2, 1, 1.0), (3, 2, 1.0)];
//! let words = SparseMatrix::from_triplets(4, 3, &words)?;
//! let graph = Graph::new(Nodes::numbered(4))
//!     .with_block(Block::links("links", links, false))?
//!     .with_block(Block::attributes("attributes", words))?;
//! let embedding = gage_baselines::named("ssgc")?.embed(&graph, 2, 0, &NoObserver)?;
//! assert_eq!((embedding.rows(), embedding.cols()), (4, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What holds for all of them:
//!
//! - They read one block of links and one of attributes: the ones called `links` and `attributes`,
//!   else the first of each kind. Further blocks are ignored.
//! - **Missing is zero**: none of the methods knows missing rows or entries, so both are taken as
//!   zeros.
//! - A node nothing is known about gets a row of zeros; columns beyond the rank of the data are
//!   zeros.
//! - The result is multiplied by one number that makes the mean squared entry 1, because a
//!   classifier with a fixed penalty depends on the scale ([`Method::embed_at`] has others).
//! - [`variant`] has named settings: `paper` is the one of the comparison in the GAGE paper.
//! - The same seed gives the same bits at any number of threads. Errors are values; nothing prints
//!   or panics.

mod algebra;
mod error;
mod input;
mod memory;
mod method;
mod methods;
mod registry;
mod scale;
mod task;

pub use error::Error;
pub use method::Method;
pub use methods::{
    Age, ConcatenatedSvd, Dane, DeepWalk, Dgi, GraphAutoencoder, Pane, Ssgc, TPine, Tadw, TadwText,
};
pub use registry::{methods, named, variant, variants};
pub use scale::Scale;
pub use task::Task;
