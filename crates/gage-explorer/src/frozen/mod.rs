//! Pages without a server: one file with everything in it.

mod data;
mod map_page;
mod model_page;

pub use map_page::{MapPage, map_page};
pub use model_page::frozen_page;
