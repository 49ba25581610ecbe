//! The views that parameters specify for a graph.

use crate::error::Error;
use crate::graph::Graph;
use crate::views::ViewSpec;

use super::fit::FitParams;

/// The views a fit makes of a graph.
pub(crate) fn specs(graph: &Graph, params: &FitParams) -> Result<Vec<ViewSpec>, Error> {
    let mut specs = match &params.views {
        Some(views) => views.clone(),
        None => params.preset.specs_for(graph, params.directed),
    };
    if let Some(weights) = &params.weights {
        if weights.len() != specs.len() {
            return Err(Error::PerView {
                what: "weights",
                found: weights.len(),
                views: specs.len(),
                names: specs.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(", "),
            });
        }
        specs.iter_mut().zip(weights).for_each(|(spec, &weight)| spec.weight = weight);
    }
    Ok(specs)
}
