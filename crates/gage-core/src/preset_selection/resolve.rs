//! Presets that choose, replaced by what they choose for a graph.

use crate::error::Error;
use crate::graph::{BlockKind, Graph};
use crate::params::{CheckedParams, FitParams};
use crate::progress::Observer;
use crate::views::{Choose, Directed, Preset};

use super::choice::Choice;
use super::graph_statistics::Facts;
use super::{auto, links};

/// The preset `auto` for a graph, and why.
pub fn choose_views(graph: &Graph, directed: Directed, seed: u64) -> (Preset, Choice) {
    let facts = Facts::of(graph, seed);
    let further = |links: bool| {
        let own = ["links", "attributes"];
        let blocks = graph.blocks().iter().filter(|block| !own.contains(&block.name.as_str()));
        blocks.filter(|block| matches!(block.kind, BlockKind::Links { .. }) == links).count()
    };
    let wishes = auto::Wishes {
        // A wish about directions is applied to the views afterwards, so there must be one view to apply it to.
        both_ends: facts.directed && directed == Directed::AsGiven,
        further_links: further(true),
        further_attributes: further(false),
    };
    let (preset, saw) = auto::auto(&facts, &wishes);
    (preset, Choice { saw, facts: Some(facts), trials: Vec::new() })
}

/// Parameters whose preset is a fixed one: chosen for this graph where the preset says so.
pub(crate) fn resolve(
    graph: &Graph,
    params: CheckedParams,
    observer: &dyn Observer,
) -> Result<(CheckedParams, Option<Choice>), Error> {
    let (preset, choice) = match params.preset.choose {
        _ if params.views.is_some() => return Ok((params, None)),
        None => return Ok((params, None)),
        Some(Choose::Auto) => choose_views(graph, params.directed, params.seed),
        Some(Choose::Links) => links::choose_by_links(graph, &params, observer)?,
    };
    let params = FitParams { preset, ..(*params).clone() }.check()?;
    Ok((params, Some(choice)))
}

/// As [`resolve`], but without fitting anything: good enough to plan with.
pub(crate) fn resolve_for_plan(graph: &Graph, params: &FitParams) -> FitParams {
    let preset = match params.preset.choose {
        Some(Choose::Auto) if params.views.is_none() => {
            Some(choose_views(graph, params.directed, params.seed).0)
        }
        Some(Choose::Links) if params.views.is_none() => links::untried(graph),
        _ => None,
    };
    FitParams { preset: preset.unwrap_or_else(|| params.preset.clone()), ..params.clone() }
}
