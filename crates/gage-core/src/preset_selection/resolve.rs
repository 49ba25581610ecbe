//! Replaces a preset that selects its views by what it selects for a graph.

use crate::error::Error;
use crate::graph::{ATTRIBUTES, BlockKind, Graph, LINKS};
use crate::params::{CheckedParams, FitParams};
use crate::solver::FitContext;
use crate::views::{DirectedViews, Preset, SelectionRule};

use super::graph_statistics::GraphStatistics;
use super::selection::Selection;
use super::{auto, links};

/// Seed of the samples that statistics are estimated from. It is not the seed of the fit: which
/// views a graph gets, and so what an embedding means, must not depend on chance.
const STATISTICS_SEED: u64 = 0;

/// The preset `auto` for a graph, with its rationale.
pub fn select_views(graph: &Graph, directed: DirectedViews) -> (Preset, Selection) {
    let statistics = GraphStatistics::of(graph, STATISTICS_SEED);
    let further = |links: bool| {
        let own = [LINKS, ATTRIBUTES];
        let blocks = graph.blocks().iter().filter(|block| !own.contains(&block.name.as_str()));
        blocks.filter(|block| matches!(block.kind, BlockKind::Links { .. }) == links).count()
    };
    let options = auto::AutoOptions {
        // `directed` is applied to the views afterwards and needs one view to apply to.
        both_ends: statistics.directed && directed == DirectedViews::AsGiven,
        further_links: further(true),
        further_attributes: further(false),
    };
    let (preset, rationale) = auto::auto(&statistics, &options);
    (preset, Selection { rationale, statistics: Some(statistics), trials: Vec::new() })
}

/// Parameters with fixed views: those the preset selects for this graph, if it selects any.
pub(crate) fn resolve(
    graph: &Graph,
    params: CheckedParams,
    ctx: &FitContext<'_>,
) -> Result<(CheckedParams, Option<Selection>), Error> {
    let (preset, selection) = match params.preset.selection {
        _ if params.views.is_some() => return Ok((params, None)),
        None => return Ok((params, None)),
        Some(SelectionRule::Auto) => select_views(graph, params.directed),
        Some(SelectionRule::Links) => links::select_by_links(graph, &params, ctx)?,
    };
    let params = FitParams { preset, ..(*params).clone() }.check()?;
    Ok((params, Some(selection)))
}

/// As [`resolve`], but without any fit: accurate enough for a plan.
pub(crate) fn resolve_for_plan(graph: &Graph, params: &FitParams) -> FitParams {
    let preset = match params.preset.selection {
        Some(SelectionRule::Auto) if params.views.is_none() => {
            Some(select_views(graph, params.directed).0)
        }
        Some(SelectionRule::Links) if params.views.is_none() => links::first_candidate(graph),
        _ => None,
    };
    FitParams { preset: preset.unwrap_or_else(|| params.preset.clone()), ..params.clone() }
}
