//! Views from facts: the preset `auto`.
//!
//! Four kinds of graphs want different views (measured on ten graphs, see `docs/experiments.md`):
//!
//! - **deep**: links join nodes that look alike, and eight steps predict hidden attributes better than one. The mean of
//!   eight smoothings counts in full; attributes as they are, and smoothed twice, count the less the more the far steps
//!   tell: by the inverse square of how many times as much that is. Few links are not a view of their own.
//! - **middle**: links join nodes that look alike, but smoothing soon forgets. Attributes count in full, smoothed once and
//!   twice 0.6 each.
//! - **noisy**: halves of the attributes disagree about which nodes are alike, but linked nodes are more alike than chance
//!   would have it. A node is known by the company it keeps: attributes smoothed twice and the mean of eight smoothings count
//!   in full, attributes as they are 0.3 or, where they are as good as noise, not at all.
//! - **near**: everything else. Attributes count in full, smoothed once a half.
//!
//! Links count in full where there are many a node, for then their rows are informative; in the last two kinds 0.3 otherwise.

use crate::views::{
    Direction, EmbeddingScale, Preset, Propagate, Source, Steps, Transform, ViewSpec,
};

use super::graph_statistics::{AttributeForm, Facts};

/// Linked nodes are alike if their attributes agree so many times more than those of random nodes.
const ALIKE: f64 = 2.5;

/// Smoothing goes deep if eight steps predict hidden attributes so much better than one.
const LASTING: f64 = 1.0;

/// Attributes are noisy if their halves agree less than this, and as good as noise below the second number.
const NOISY: (f64, f64) = (0.05, 0.02);

/// Weight of noisy attributes.
const NOISY_WEIGHT: f64 = 0.3;

/// Standard errors from which on a difference is taken as real.
const SIGNIFICANT: f64 = 3.0;

/// The least weight of near views beside a far one, in halvings.
const LEAST_NEAR_WEIGHT: f64 = -1.5;

/// Links a node from which on rows of links tell much about it.
const MANY_LINKS: f64 = 25.0;

/// Weight of links where they are few.
const FEW_LINKS_WEIGHT: f64 = 0.3;

/// How far smoothing reaches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Deep,
    Middle,
    Noisy,
    Near,
}

/// Mean squared entry of the embedding.
const ENTRY: f64 = 0.25;

/// What the facts leave open.
pub(super) struct Wishes {
    /// Whether directed links describe a node by both ends, as two views.
    pub(super) both_ends: bool,
    /// Blocks of links besides the main one.
    pub(super) further_links: usize,
    /// Blocks of attributes besides the main one.
    pub(super) further_attributes: usize,
}

/// The views for a graph with these facts, and why, in one line.
pub(super) fn auto(facts: &Facts, wishes: &Wishes) -> (Preset, String) {
    let ratio = facts.agreement.map(|agreement| agreement.ratio);
    let alike = ratio.is_some_and(|ratio| ratio >= ALIKE);
    let lasting = facts.lasting.is_some_and(|lasting| lasting >= LASTING);
    let noise = facts.reliability.filter(|&reliability| reliability < NOISY.0);
    let significant = facts.agreement.is_some_and(|found| found.significance >= SIGNIFICANT);
    let kind = match (alike, lasting) {
        (true, true) => Kind::Deep,
        (true, false) => Kind::Middle,
        (false, _) if noise.is_some() && significant => Kind::Noisy,
        (false, _) => Kind::Near,
    };
    let many = facts.mean_degree.is_some_and(|degree| degree >= MANY_LINKS);
    let words = match facts.form {
        Some(AttributeForm::Words) if alike => Transform::TfIdf,
        Some(AttributeForm::Words) => Transform::RootIdf,
        _ => Transform::RowL2,
    };
    let near_weight = match (kind, facts.lasting) {
        (Kind::Deep, Some(lasting)) => near_weight(lasting),
        _ => 1.0,
    };
    let own_weight = match (kind, noise) {
        (Kind::Noisy, Some(noise)) if noise < NOISY.1 => 0.0,
        (Kind::Noisy, _) => NOISY_WEIGHT,
        _ => near_weight,
    };
    let link_weight = if many { 1.0 } else { FEW_LINKS_WEIGHT };
    let attributes = facts.form.is_some();
    let mut views = Vec::new();
    let by_themselves = match kind {
        Kind::Deep => many,
        Kind::Noisy => false,
        Kind::Middle | Kind::Near => true,
    };
    if facts.mean_degree.is_some() && by_themselves {
        // Few links between unlike nodes: what tells is to be linked to the same hubs, and normalising hides hubs.
        let hubs = attributes && kind == Kind::Near && !many;
        let normalised = Transform::Symmetric { self_loops: 0.0 };
        let transform = if hubs { Transform::Raw } else { normalised };
        let weight = if attributes { link_weight } else { 1.0 };
        views.extend(link_views(wishes.both_ends, !attributes, transform, weight));
    }
    if attributes && own_weight > 0.0 {
        views.push(ViewSpec {
            name: "attributes".to_owned(),
            transform: words,
            weight: own_weight,
            share: own_weight,
            ..ViewSpec::raw("attributes")
        });
    }
    let smoothings: &[(&str, Steps, f64)] = match kind {
        Kind::Deep => &[("smoothed", Steps::Power(2), near_weight), ("far", Steps::Mean(8), 1.0)],
        Kind::Noisy => &[("smoothed", Steps::Power(2), 1.0), ("far", Steps::Mean(8), 1.0)],
        Kind::Middle => &[("smoothed", Steps::Power(1), 0.6), ("far", Steps::Power(2), 0.6)],
        Kind::Near => &[("smoothed", Steps::Power(1), 0.5)],
    };
    if facts.mean_degree.is_some() && attributes {
        views.extend(smoothings.iter().map(|(name, steps, weight)| ViewSpec {
            name: (*name).to_owned(),
            transform: words,
            propagate: Some(smoothing(steps.clone())),
            weight: *weight,
            share: *weight,
            ..ViewSpec::raw("attributes")
        }));
    }
    // Further blocks share the weight that one block of their kind would have.
    let share_out = |count: usize, weight: f64| weight / (count.max(1) as f64).sqrt();
    let further =
        |transform, weight| ViewSpec { transform, weight, share: weight, ..ViewSpec::raw("") };
    let preset = Preset {
        name: "auto".to_owned(),
        description: "Views chosen from facts of the graph.".to_owned(),
        views,
        further_links: Some(further(
            Transform::Symmetric { self_loops: 0.0 },
            share_out(wishes.further_links, FEW_LINKS_WEIGHT),
        )),
        further_attributes: Some(further(
            Transform::RootIdf,
            share_out(wishes.further_attributes, 0.5),
        )),
        balance: true,
        scale: EmbeddingScale::Entries(ENTRY),
        choose: None,
    };
    let saw = explain(facts, &preset.views);
    (preset, saw)
}

/// `lasting^-2` in steps of a half power of two: other nodes hidden give another number, but seldom another step.
fn near_weight(lasting: f64) -> f64 {
    let halvings = (2.0 * lasting.powi(-2).log2()).round() / 2.0;
    halvings.clamp(LEAST_NEAR_WEIGHT, 0.0).exp2()
}

/// Views of the links themselves: one end or both, which share the weight. Links alone, without attributes, get two
/// steps along them besides.
fn link_views(both_ends: bool, alone: bool, transform: Transform, weight: f64) -> Vec<ViewSpec> {
    let links = |name: &str, direction, weight: f64| ViewSpec {
        name: name.to_owned(),
        transform,
        direction,
        weight,
        share: weight,
        ..ViewSpec::raw("links")
    };
    let mut views = if both_ends {
        let half = weight / std::f64::consts::SQRT_2;
        vec![links("links", Direction::Out, half), links("links-in", Direction::In, half)]
    } else {
        vec![links("links", Direction::Out, weight)]
    };
    if alone {
        views.push(ViewSpec {
            name: "two-steps".to_owned(),
            source: Source::Identity,
            propagate: Some(smoothing(Steps::Power(2))),
            ..ViewSpec::raw("links")
        });
    }
    views
}

pub(super) fn smoothing(steps: Steps) -> Propagate {
    Propagate {
        block: "links".to_owned(),
        transform: Transform::Symmetric { self_loops: 1.0 },
        direction: Direction::Out,
        steps,
    }
}

/// What was seen, and the views it led to with their weights.
fn explain(facts: &Facts, views: &[ViewSpec]) -> String {
    let mut seen = Vec::new();
    if let (Some(_), Some(_)) = (facts.mean_degree, facts.form) {
        seen.push(match facts.agreement {
            Some(found) => format!("linked nodes agree {:.1} times as much as others", found.ratio),
            None => "agreement of linked nodes cannot be measured".to_owned(),
        });
        seen.push(match facts.lasting {
            Some(lasting) => format!("eight steps tell {lasting:.2} times as much as one"),
            None => "neighbours tell nothing".to_owned(),
        });
    }
    if let Some(reliability) = facts.reliability.filter(|&reliability| reliability < NOISY.0) {
        seen.push(format!("halves of the attributes hardly agree ({reliability:.3})"));
    }
    seen.push(match facts.mean_degree {
        Some(degree) => format!("{degree:.1} links a node"),
        None => "no links".to_owned(),
    });
    seen.push(facts.form.map_or("no attributes", AttributeForm::describe).to_owned());
    let weighted =
        |view: &ViewSpec| format!("{} {}", label(view), (1e3 * view.weight).round() / 1e3);
    let chosen: Vec<String> = views.iter().map(weighted).collect();
    let chosen =
        if chosen.is_empty() { "further blocks alone".to_owned() } else { chosen.join(", ") };
    format!("{}: {chosen}", seen.join(", "))
}

/// A view in plain words.
fn label(view: &ViewSpec) -> String {
    match (&view.source, view.propagate.as_ref().map(|propagate| &propagate.steps)) {
        (_, None) => view.name.clone(),
        (Source::Identity, Some(_)) => "two steps along links".to_owned(),
        (_, Some(Steps::Power(times))) => format!("smoothed {times} x"),
        (_, Some(Steps::Mean(times))) => format!("mean of {times} smoothings"),
        (_, Some(Steps::Polynomial(_))) => "smoothed".to_owned(),
    }
}
