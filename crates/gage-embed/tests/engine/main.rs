//! The engine against its promises: planted problems, brute force, real data, hostile input.
#![allow(missing_docs, clippy::print_stderr)]

mod agreement;
mod bits;
mod cancel;
mod certificates;
mod common;
mod degenerate;
mod dimension;
mod evaluation;
mod fold_in;
mod front_end_words;
mod layers;
mod memory;
mod missing;
mod model_file;
mod new_node_goals;
mod no_leaks;
mod paper_loss;
mod permutation;
mod planted;
mod preset_selection;
mod presets;
mod resume;
mod search;
mod workers;
mod workspaces;
