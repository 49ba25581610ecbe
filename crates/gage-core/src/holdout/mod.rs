//! Links held out of a graph, and how well an embedding ranks them; and nodes held out.

mod error;
mod hide;
mod link_scores;
mod links;
mod nodes;
mod ranking;

pub use error::{EvalError, MAX_MAGNITUDE, at_least_one, check_rows, same_length};
pub use hide::{HiddenLinks, StillLinked, hide_links};
pub use link_scores::{LinkReport, LinkScore, score_links, score_pairs, score_pairs_between};
pub use links::{LinkParams, LinkSplit, remove_links};
pub use nodes::{HeldOutNodes, hold_out_nodes, rows_as_new};
pub use ranking::{average_precision, roc_auc};
