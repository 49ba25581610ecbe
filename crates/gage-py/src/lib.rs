//! The binding: arrays, masks, names and options in, models and reports out. What Python users
//! expect beyond that is written in Python, in `python/gage_embed`.

#![allow(
    clippy::too_many_arguments,
    reason = "Python names its arguments, so their number confuses nobody"
)]

mod arrays;
mod errors;
mod evaluate;
mod explore;
mod files;
mod graph;
mod handles;
mod model;
mod new_nodes;
mod options;
mod pictures;
mod pieces;
mod run;
mod search;
mod state;

use std::ffi::OsString;

use gage_cli::EndingAllocator;
use pyo3::prelude::*;

/// Of no effect but in a process that runs the command.
#[global_allocator]
static ALLOCATOR: EndingAllocator = EndingAllocator;

/// The `gage` command, to which the process then belongs: its exit code.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| gage_cli::run(arguments))
}

/// What the Python part is made of.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    let presets: Vec<String> = gage_embed::Preset::all().into_iter().map(|p| p.name).collect();
    module.add("PRESETS", presets)?;
    module.add("DEFAULT_COLUMNS", gage_embed::Dimension::DEFAULT_COLUMNS)?;
    module.add("DEFAULT_ENERGY", gage_embed::Dimension::DEFAULT_ENERGY)?;
    module.add("ITERATIONS", gage_embed::FitParams::default().basis.max_iterations)?;
    let nothing_to_embed = module.py().get_type::<errors::NothingToEmbedError>();
    module.add("NothingToEmbedError", nothing_to_embed)?;
    module.add("ID_NAMES", gage_embed::io::ID_NAMES)?;
    module.add("SOURCE_NAMES", gage_embed::io::SOURCE_NAMES)?;
    module.add("TARGET_NAMES", gage_embed::io::TARGET_NAMES)?;
    module.add("WEIGHT_NAMES", gage_embed::io::WEIGHT_NAMES)?;
    module.add_class::<handles::PyLinks>()?;
    module.add_class::<handles::PyTable>()?;
    module.add_class::<handles::PyLabels>()?;
    module.add_class::<handles::PyGraph>()?;
    module.add_class::<handles::PyModel>()?;
    module.add_class::<search::PySearchIndex>()?;
    module.add_class::<explore::PyExplorer>()?;
    module.add_class::<explore::PyAnswer>()?;
    module.add_function(wrap_pyfunction!(explore::frozen, module)?)?;
    module.add_function(wrap_pyfunction!(explore::notebook_parts, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::layout_rows, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::class_look, module)?)?;
    module.add_function(wrap_pyfunction!(state::block_states, module)?)?;
    module.add_function(wrap_pyfunction!(state::graph_of_states, module)?)?;
    module.add_function(wrap_pyfunction!(files::graph_to_folder, module)?)?;
    module.add_function(wrap_pyfunction!(files::graph_to_links, module)?)?;
    module.add_function(wrap_pyfunction!(files::is_embedding, module)?)?;
    module.add_function(wrap_pyfunction!(files::embedding_of_file, module)?)?;
    module.add_function(wrap_pyfunction!(files::write_embedding, module)?)?;
    module.add_function(wrap_pyfunction!(run_command, module)?)?;
    module.add_function(wrap_pyfunction!(pieces::read_view, module)?)?;
    module.add_function(wrap_pyfunction!(pieces::edge_columns, module)?)?;
    module.add_function(wrap_pyfunction!(model::fit, module)?)?;
    module.add_function(wrap_pyfunction!(model::recipe, module)?)?;
    module.add_function(wrap_pyfunction!(model::read_recipe, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::classify, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::clusters, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::predict_links, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::sweep_graph, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::sweep_fitted, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::tune_graph, module)?)?;
    Ok(())
}
