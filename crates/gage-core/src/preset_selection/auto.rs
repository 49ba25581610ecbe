//! The preset `auto`: a rule from graph statistics to views.
//!
//! There are four regimes (measured on ten graphs, see `docs/experiments.md`):
//!
//! - **deep**: attributes are assortative, and eight smoothing steps predict hidden attributes
//!   better than one. The mean of eight smoothings has weight 1. Raw attributes and two smoothings
//!   have the inverse square of the smoothing retention. Links are a view of their own only in
//!   dense graphs.
//! - **middle**: attributes are assortative, but smoothing soon forgets them. Attributes have
//!   weight 1, one and two smoothings 0.6 each.
//! - **noisy**: attributes have a low split-half reliability, but linked nodes are significantly
//!   more similar than chance. Two smoothings and the mean of eight have weight 1, raw attributes
//!   0.3, or 0 where they are as good as noise.
//! - **near**: everything else. Attributes have weight 1, one smoothing 0.5.
//!
//! Links have weight 1 in dense graphs, where rows of the adjacency are informative. In sparse
//! graphs of the regimes middle and near they have weight 0.3.
//!
//! The preset `walks` follows the same rule with the logarithm of short walks (`walks.rs`) in the
//! place of one and two smoothings, except of noisy attributes, and with raw links wherever they
//! are sparse.

use crate::graph::{ATTRIBUTES, LINKS};
use crate::views::{Direction, EmbeddingScale, Preset, Source, Steps, Transform, ViewSpec};

use super::graph_statistics::{AttributeForm, GraphStatistics};
use super::regime::{Regime, smoothing};
use super::walks::walk_views;

/// Assortativity ratio from which on attributes are assortative.
const ASSORTATIVE: f64 = 2.5;

/// Smoothing retention above which the regime is deep.
const DEEP_RETENTION: f64 = 1.0;

/// Split-half reliability below which attributes are noisy, and below which they are noise.
const NOISY: (f64, f64) = (0.05, 0.02);

/// Weight of noisy attributes.
const NOISY_WEIGHT: f64 = 0.3;

/// Standard errors from which on a difference is significant.
const SIGNIFICANT: f64 = 3.0;

/// Binary logarithm of the least weight of near views beside a far one.
const LEAST_NEAR_WEIGHT: f64 = -1.5;

/// Mean degree from which on a graph is dense.
const DENSE_DEGREE: f64 = 25.0;

/// Weight of links in sparse graphs.
const SPARSE_LINKS_WEIGHT: f64 = 0.3;

/// Mean squared entry of the embedding.
const ENTRY: f64 = 0.25;

/// What the statistics leave open.
pub(super) struct AutoOptions {
    /// Whether directed links describe a node by both ends, as two views.
    pub(super) both_ends: bool,
    /// Blocks of links besides the main one.
    pub(super) further_links: usize,
    /// Blocks of attributes besides the main one.
    pub(super) further_attributes: usize,
    /// Whether the logarithm of short walks takes the place of near smoothings.
    pub(super) walks: bool,
}

/// The views for a graph with these statistics, and the rationale in one line.
pub(super) fn auto(statistics: &GraphStatistics, options: &AutoOptions) -> (Preset, String) {
    let rule = Rule::new(statistics, options.walks);
    let mut views = rule.link_views(options.both_ends);
    views.extend(rule.attribute_view());
    views.extend(rule.smoothed_views());
    // Further blocks share the weight that one block of their kind would have.
    let split = |count: usize, weight: f64| weight / (count.max(1) as f64).sqrt();
    let further =
        |transform, weight| ViewSpec { transform, weight, share: weight, ..ViewSpec::raw("") };
    let preset = Preset {
        name: if options.walks { "walks" } else { "auto" }.to_owned(),
        description: "Views chosen from facts of the graph.".to_owned(),
        views,
        further_links: Some(further(
            Transform::Symmetric { self_loops: 0.0 },
            split(options.further_links, SPARSE_LINKS_WEIGHT),
        )),
        further_attributes: Some(further(
            Transform::RootIdf,
            split(options.further_attributes, 0.5),
        )),
        balance: true,
        scale: EmbeddingScale::Entries(ENTRY),
        selection: None,
    };
    let rationale = explain(statistics, &preset.views);
    (preset, rationale)
}

/// What follows from the statistics for all views.
struct Rule {
    regime: Regime,
    /// Whether there are links.
    links: bool,
    /// Whether there are attributes.
    attributes: bool,
    /// Whether rows of the adjacency are informative.
    dense: bool,
    /// Transform of the attributes.
    transform: Transform,
    /// Weight of raw attributes.
    attribute_weight: f64,
    /// Weight of raw attributes and of two smoothings beside a far view.
    near_weight: f64,
    /// Whether the logarithm of short walks takes the place of near smoothings.
    walks: bool,
}

impl Rule {
    fn new(statistics: &GraphStatistics, walks: bool) -> Rule {
        let assortativity = statistics.assortativity;
        let assortative = assortativity.is_some_and(|found| found.ratio >= ASSORTATIVE);
        let retention = statistics.smoothing_retention;
        let noise = statistics.split_half_reliability.filter(|&found| found < NOISY.0);
        let significant = assortativity.is_some_and(|found| found.significance >= SIGNIFICANT);
        let regime = match (assortative, retention.is_some_and(|found| found >= DEEP_RETENTION)) {
            (true, true) => Regime::Deep,
            (true, false) => Regime::Middle,
            (false, _) if noise.is_some() && significant => Regime::Noisy,
            (false, _) => Regime::Near,
        };
        let near_weight = match (regime, retention) {
            (Regime::Deep, Some(retention)) => near_weight(retention),
            _ => 1.0,
        };
        Rule {
            regime,
            links: statistics.mean_degree.is_some(),
            attributes: statistics.form.is_some(),
            dense: statistics.mean_degree.is_some_and(|degree| degree >= DENSE_DEGREE),
            transform: match statistics.form {
                Some(AttributeForm::Words) if assortative => Transform::TfIdf,
                Some(AttributeForm::Words) => Transform::RootIdf,
                _ => Transform::RowL2,
            },
            attribute_weight: match (regime, noise) {
                (Regime::Noisy, Some(noise)) if noise < NOISY.1 => 0.0,
                (Regime::Noisy, _) => NOISY_WEIGHT,
                _ => near_weight,
            },
            near_weight,
            walks,
        }
    }

    /// Views of the adjacency: one end or both, which share the weight. Without attributes, two
    /// steps along the links are added.
    fn link_views(&self, both_ends: bool) -> Vec<ViewSpec> {
        let wanted = match self.regime {
            Regime::Deep => self.dense,
            Regime::Noisy => false,
            Regime::Middle | Regime::Near => true,
        };
        if !(self.links && wanted) {
            return Vec::new();
        }
        // In sparse graphs without assortativity the common hubs of two nodes are informative, and
        // normalisation would damp them.
        let unlike = self.regime == Regime::Near || self.walks;
        let hubs = self.attributes && unlike && !self.dense;
        let normalised = Transform::Symmetric { self_loops: 0.0 };
        let transform = if hubs { Transform::Raw } else { normalised };
        let weight = if self.attributes && !self.dense { SPARSE_LINKS_WEIGHT } else { 1.0 };
        let links = |name: &str, direction, weight: f64| ViewSpec {
            name: name.to_owned(),
            transform,
            direction,
            weight,
            share: weight,
            ..ViewSpec::raw(LINKS)
        };
        let mut views = if both_ends {
            let half = weight / std::f64::consts::SQRT_2;
            vec![links("links", Direction::Out, half), links("links-in", Direction::In, half)]
        } else {
            vec![links("links", Direction::Out, weight)]
        };
        if !self.attributes {
            views.push(ViewSpec {
                name: "two-steps".to_owned(),
                source: Source::Identity,
                propagate: Some(smoothing(Steps::Power(2))),
                ..ViewSpec::raw(LINKS)
            });
        }
        views
    }

    fn attribute_view(&self) -> Option<ViewSpec> {
        (self.attributes && self.attribute_weight > 0.0).then(|| ViewSpec {
            transform: self.transform,
            weight: self.attribute_weight,
            share: self.attribute_weight,
            ..ViewSpec::raw(ATTRIBUTES)
        })
    }

    fn smoothed_views(&self) -> Vec<ViewSpec> {
        if !(self.links && self.attributes) {
            return Vec::new();
        }
        if self.walks && self.regime != Regime::Noisy {
            return walk_views(self.regime, self.dense, self.transform);
        }
        let near = self.near_weight;
        let smoothings: &[(&str, Steps, f64)] = match self.regime {
            Regime::Deep => &[("smoothed", Steps::Power(2), near), ("far", Steps::Mean(8), 1.0)],
            Regime::Noisy => &[("smoothed", Steps::Power(2), 1.0), ("far", Steps::Mean(8), 1.0)],
            Regime::Middle => &[("smoothed", Steps::Power(1), 0.6), ("far", Steps::Power(2), 0.6)],
            Regime::Near => &[("smoothed", Steps::Power(1), 0.5)],
        };
        let view = |(name, steps, weight): &(&str, Steps, f64)| ViewSpec {
            name: (*name).to_owned(),
            transform: self.transform,
            propagate: Some(smoothing(steps.clone())),
            weight: *weight,
            share: *weight,
            ..ViewSpec::raw(ATTRIBUTES)
        };
        smoothings.iter().map(view).collect()
    }
}

/// `retention^-2`, rounded to half powers of two. Another sample of hidden nodes changes the
/// retention, but seldom the rounded weight.
fn near_weight(retention: f64) -> f64 {
    let halvings = (2.0 * retention.powi(-2).log2()).round() / 2.0;
    halvings.clamp(LEAST_NEAR_WEIGHT, 0.0).exp2()
}

/// The statistics that decided, and the views with their weights.
fn explain(statistics: &GraphStatistics, views: &[ViewSpec]) -> String {
    let mut seen = Vec::new();
    if let (Some(_), Some(_)) = (statistics.mean_degree, statistics.form) {
        seen.push(match statistics.assortativity {
            Some(found) => format!("linked nodes agree {:.1} times as much as others", found.ratio),
            None => "agreement of linked nodes cannot be measured".to_owned(),
        });
        seen.push(match statistics.smoothing_retention {
            Some(retention) => format!("eight steps tell {retention:.2} times as much as one"),
            None => "neighbours tell nothing".to_owned(),
        });
    }
    let reliability = statistics.split_half_reliability;
    if let Some(reliability) = reliability.filter(|&found| found < NOISY.0) {
        seen.push(format!("halves of the attributes hardly agree ({reliability:.3})"));
    }
    seen.push(match statistics.mean_degree {
        Some(degree) => format!("{degree:.1} links a node"),
        None => "no links".to_owned(),
    });
    seen.push(statistics.form.map_or("no attributes", AttributeForm::describe).to_owned());
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
        _ if view.log_affinity.is_some() => "logarithm of walks".to_owned(),
        (_, None) => view.name.clone(),
        (Source::Identity, Some(_)) => "two steps along links".to_owned(),
        (_, Some(Steps::Power(times))) => format!("smoothed {times} x"),
        (_, Some(Steps::Mean(times))) => format!("mean of {times} smoothings"),
        (_, Some(Steps::Polynomial(_))) => "smoothed".to_owned(),
    }
}
