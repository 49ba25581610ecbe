//! The views that parameters specify for a graph.

use std::collections::HashSet;

use crate::error::Error;
use crate::graph::Graph;
use crate::views::{ViewError, ViewSpec};

use super::fit::FitParams;
use super::only::visible;

/// The views a fit makes of a graph.
pub(crate) fn specs(graph: &Graph, params: &FitParams) -> Result<Vec<ViewSpec>, Error> {
    let graph = visible(graph, params.only)?;
    let mut specs = match &params.views {
        // Of views given by hand those of the other part are left out; unknown blocks are errors.
        Some(views) => {
            let seen = |spec: &ViewSpec| spec.blocks().all(|block| graph.block(block).is_some());
            let views = views.iter().filter(|spec| params.only.is_none() || seen(spec));
            views.cloned().collect()
        }
        None => params.preset.specs_for(&graph, params.directed),
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
    check(&specs)?;
    Ok(specs)
}

/// Checks what concerns the views together.
fn check(specs: &[ViewSpec]) -> Result<(), Error> {
    let mut names = HashSet::new();
    if let Some(again) = specs.iter().find(|spec| !names.insert(spec.name.as_str())) {
        return Err(ViewError::DuplicateView { view: again.name.clone() }.into());
    }
    if !specs.is_empty() && specs.iter().all(|spec| spec.weight == 0.0) {
        let value = vec!["0"; specs.len()].join(", ");
        let bound = "above 0 for at least one view";
        return Err(Error::Parameter { name: "weights", value, bound });
    }
    Ok(())
}

/// What to say of blocks that no view uses.
pub(crate) fn unused_blocks(graph: &Graph, params: &FitParams, specs: &[ViewSpec]) -> Vec<String> {
    // What was to be left out is no surprise, and an empty part was refused before.
    let Ok(graph) = visible(graph, params.only) else { return Vec::new() };
    let used: HashSet<&str> = specs.iter().flat_map(ViewSpec::blocks).collect();
    let unused = graph.blocks().iter().filter(|block| !used.contains(block.name.as_str()));
    let whose = match params.views {
        Some(_) => "the views given".to_owned(),
        None => format!("the views of preset `{}`", params.preset.name),
    };
    unused
        .map(|block| format!("`{}` is in none of {whose}, so it has no effect", block.name))
        .collect()
}
