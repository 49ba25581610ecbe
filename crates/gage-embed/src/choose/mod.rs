//! Presets that look at the graph before they choose views.
//!
//! `auto` measures a few [`Facts`] and follows a rule; `links` hides a part of the links and takes what predicts them
//! best. Neither sees labels. What was seen and chosen is kept in the model as a [`Choice`].

mod agreement;
mod auto;
mod cosines;
mod depth;
mod facts;
mod links;

pub use agreement::Agreement;
pub use facts::{AttributeForm, Facts};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::graph::{BlockKind, Graph};
use crate::params::{CheckedParams, FitParams};
use crate::solver::Observer;
use crate::views::{Choose, Directed, Preset};

/// One choice of shares that was tried on hidden links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Name, weight and share of every view.
    pub views: Vec<(String, f64, f64)>,
    /// Area under the ROC curve on the hidden links.
    pub auc: f64,
    /// Average precision on the hidden links.
    pub average_precision: f64,
}

/// What was seen, and what followed from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// In one line.
    pub saw: String,
    /// Measured facts, if the choice rests on them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Facts>,
    /// Everything that was tried, if the choice rests on trials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<Trial>,
}

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
