//! What pictures need: places of nodes in the plane, and the look of classes.

use gage_plot::layout::{LayoutParams, layout};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::arrays;
use crate::run::{Terms, Watch, run};

/// Two coordinates per row, as the command lays out its maps.
#[pyfunction]
#[pyo3(name = "layout", signature = (embedding, neighbours=None, seed=0, threads=None))]
pub(crate) fn layout_rows<'py>(
    py: Python<'py>,
    embedding: &Bound<'py, PyAny>,
    neighbours: Option<usize>,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = arrays::numbers(embedding)?.to_f32();
    let default = LayoutParams::default();
    let neighbours = neighbours.unwrap_or(default.neighbours);
    let params = LayoutParams { neighbours, seed, ..default };
    let work = move |_: &Watch| Ok(layout(&rows, None, &params));
    let points = run(py, &Terms { threads, report: None }, work)?;
    let flat = PyArray1::from_vec(py, points.as_flattened().to_vec());
    Ok(flat.reshape([points.len(), 2])?.into_any())
}

/// Colour and mark of a class of that number; `None` for nodes without one.
#[pyfunction]
pub(crate) fn class_look(class: Option<u32>) -> (String, &'static str) {
    gage_plot::class_look(class)
}
