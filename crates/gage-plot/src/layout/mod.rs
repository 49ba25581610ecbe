//! From many columns to two: a map in which near nodes stay near.
//!
//! Nearest neighbours become a fuzzy graph; attraction along its edges and repulsion between random
//! pairs then move the points, from the first two principal axes (McInnes, Healy, Melville: UMAP,
//! 2018; Tang et al.: Visualizing large-scale and high-dimensional data, 2016). Unlike there, all
//! points move at once and from the positions of the round before, so every point can be computed
//! on its own and the result has the same bits at any number of threads.

mod arrange;
mod forces;
mod forest;
mod fuzzy;
mod neighbours;
mod point;
mod principal_axes;

pub use arrange::{LayoutParams, arrange, layout, unit_rows, usual_rounds};
pub use forces::Movement;
pub use neighbours::{Neighbours, nearest};
pub use point::Point;
pub use principal_axes::principal;
