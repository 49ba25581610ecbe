//! The binding: arrays, masks, names and wishes in, models and reports out. What Python users expect beyond that is
//! written in Python, in `python/gage_embed`.

#![allow(
    clippy::too_many_arguments,
    reason = "Python names its arguments, so their number confuses nobody"
)]

mod arrays;
mod errors;
mod evaluate;
mod graph;
mod model;
mod params;
mod pieces;
mod run;

use pyo3::prelude::*;

/// What the Python part is made of.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    let presets: Vec<String> = gage_embed::Preset::all().into_iter().map(|p| p.name).collect();
    module.add("PRESETS", presets)?;
    module.add("ITERATIONS", gage_embed::FitParams::default().basis.max_iterations)?;
    module.add_class::<pieces::PyLinks>()?;
    module.add_class::<pieces::PyTable>()?;
    module.add_class::<pieces::PyLabels>()?;
    module.add_class::<graph::PyGraph>()?;
    module.add_class::<model::PyModel>()?;
    module.add_function(wrap_pyfunction!(pieces::read_view, module)?)?;
    module.add_function(wrap_pyfunction!(model::fit, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::classify, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::clusters, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::predict_links, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::sweep_graph, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::sweep_fitted, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::tune_graph, module)?)?;
    Ok(())
}
