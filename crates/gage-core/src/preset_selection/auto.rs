//! The preset `auto`: views and weights from what predicts hidden attributes.
//!
//! There are four sources: a node's own attributes, the logarithm of short walks to attributes
//! (`walks`), the mean of eight smoothings (`far`), and the links as they are. Own attributes have
//! weight 1. With `s_v` the area under the ROC curve, above one half, that a source reaches on
//! hidden attributes ([`AttributePrediction`]), the weight of another source is
//!
//! ```text
//! w_v = a_v r_v^5,   r_v = min((s_v + e) / (s_own + e), 2)
//! ```
//!
//! with `a = 1.5` for the mean of eight smoothings and 1 for the others. `e = .02` makes scores
//! that are all near chance count alike. Walks are judged by attributes smoothed twice, which reach
//! as far, and have at least weight .3. So have links, because hubs that nodes share tell what no
//! attribute does: they are raw then. In dense graphs, whose links predict attributes better than
//! that, they are normalised and have their own weight. Weights are divided by the largest and
//! rounded to half powers of two, so that another sample seldom changes them; sources below an
//! eighth are left out. `docs/experiments.md` has the measurements.

use crate::graph::{ATTRIBUTES, LINKS};
use crate::views::{
    Direction, EmbeddingScale, LogAffinity, Preset, Source, Steps, Transform, ViewSpec,
};

use super::attribute_prediction::AttributePrediction;
use super::graph_statistics::{AttributeForm, GraphStatistics};
use super::smoothing::smoothing;

/// Exponent of the ratio of scores.
const POWER: i32 = 5;

/// Largest ratio of scores.
const MOST_RATIO: f64 = 2.0;

/// What is added to all scores: about two standard errors of one.
const NOISE: f64 = 0.02;

/// Weight of the mean of eight smoothings that predict as well as own attributes.
const FAR: f64 = 1.5;

/// Least weight of walks and of links, relative to own attributes.
const LEAST: f64 = 0.3;

/// Sources with less than this of the largest weight are left out.
const NEGLIGIBLE: f64 = 0.125;

/// Spread of the lengths of rows, relative to their mean, from which on all get one length.
const UNEVEN: f64 = 0.5;

/// Mean squared entry of the embedding: as it is, and where rows get one length.
const ENTRY: (f64, f64) = (0.25, 1.0);

/// Probabilities of walks of no, one, two and three steps that stop at each with one half. Six
/// steps are not better.
const WALKS: [f64; 4] = [0.5, 0.25, 0.125, 0.0625];

/// What the statistics leave open.
pub(super) struct AutoOptions {
    /// Whether directed links describe a node by both ends, as two views.
    pub(super) both_ends: bool,
    /// Blocks of links besides the main one.
    pub(super) further_links: usize,
    /// Blocks of attributes besides the main one.
    pub(super) further_attributes: usize,
}

/// The views for a graph with these statistics, and the rationale in one line.
pub(super) fn auto(statistics: &GraphStatistics, options: &AutoOptions) -> (Preset, String) {
    let views = match (statistics.mean_degree, statistics.form) {
        (Some(_), Some(form)) => both(statistics, form, options.both_ends),
        (Some(_), None) => links_alone(options.both_ends),
        (None, Some(form)) => vec![attributes(form, 1.0)],
        (None, None) => Vec::new(),
    };
    // Further blocks share the weight that one block of their kind would have.
    let split = |count: usize, weight: f64| weight / (count.max(1) as f64).sqrt();
    let further =
        |transform, weight| ViewSpec { transform, weight, share: weight, ..ViewSpec::raw("") };
    let uneven = statistics.prediction.is_some_and(|found| found.length_spread >= UNEVEN);
    let preset = Preset {
        name: "auto".to_owned(),
        description: "Views chosen by what predicts hidden attributes.".to_owned(),
        views,
        further_links: Some(further(NORMALISED, split(options.further_links, LEAST))),
        further_attributes: Some(further(
            Transform::RootIdf,
            split(options.further_attributes, 0.5),
        )),
        balance: true,
        scale: if uneven {
            EmbeddingScale::Rows(ENTRY.1)
        } else {
            EmbeddingScale::Entries(ENTRY.0)
        },
        selection: None,
    };
    let rationale = explain(statistics, &preset);
    (preset, rationale)
}

const NORMALISED: Transform = Transform::Symmetric { self_loops: 0.0 };

/// Weights of the sources, the largest 1; 0 for those that are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Weights {
    own: f64,
    walks: f64,
    far: f64,
    links: f64,
    /// Whether links count by what they predict.
    predictive_links: bool,
}

/// Weights by scores; where nothing could be measured, as if all predicted alike.
fn weights(found: Option<&AttributePrediction>) -> Weights {
    let above = |score: f64| (score - 0.5).max(0.0) + NOISE;
    let ratio = |score: f64| {
        let own = found.map_or(0.5, |found| found.own);
        (above(score) / above(own)).min(MOST_RATIO).powi(POWER)
    };
    let (near, far) = found.map_or((0.5, 0.5), |found| (found.near, found.far));
    let links = found.and_then(|found| found.links).map_or(0.0, ratio);
    let all = [1.0, ratio(near).max(LEAST), FAR * ratio(far), links.max(LEAST)];
    let largest = all.into_iter().fold(0.0, f64::max);
    let [own, walks, far, kept] = all.map(|weight| rounded(weight / largest));
    Weights { own, walks, far, links: kept, predictive_links: links > LEAST }
}

/// Rounded to half powers of two, or 0 where negligible.
fn rounded(weight: f64) -> f64 {
    let rounded = ((2.0 * weight.log2()).round() / 2.0).exp2();
    if rounded < NEGLIGIBLE { 0.0 } else { rounded }
}

/// The views of a graph with links and attributes.
fn both(statistics: &GraphStatistics, form: AttributeForm, both_ends: bool) -> Vec<ViewSpec> {
    let weights = weights(statistics.prediction.as_ref());
    // Normalisation would damp the hubs that nodes share.
    let of_links = if weights.predictive_links { NORMALISED } else { Transform::Raw };
    let mut views = link_views(of_links, weights.links, both_ends);
    views.push(attributes(form, weights.own));
    views.push(ViewSpec {
        name: "walks".to_owned(),
        transform: Transform::RowL1,
        propagate: Some(smoothing(Steps::Polynomial(WALKS.to_vec()))),
        log_affinity: Some(LogAffinity::default()),
        weight: weights.walks,
        share: weights.walks,
        ..ViewSpec::raw(ATTRIBUTES)
    });
    views.push(ViewSpec {
        name: "far".to_owned(),
        propagate: Some(smoothing(Steps::Mean(8))),
        ..attributes(form, weights.far)
    });
    views.retain(|view| view.weight > 0.0);
    views
}

fn attributes(form: AttributeForm, weight: f64) -> ViewSpec {
    ViewSpec { transform: form.transform(), weight, share: weight, ..ViewSpec::raw(ATTRIBUTES) }
}

/// Views of the adjacency: one end or both, which share the weight.
fn link_views(transform: Transform, weight: f64, both_ends: bool) -> Vec<ViewSpec> {
    let links = |name: &str, direction, weight: f64| ViewSpec {
        name: name.to_owned(),
        transform,
        direction,
        weight,
        share: weight,
        ..ViewSpec::raw(LINKS)
    };
    if both_ends {
        let half = weight / std::f64::consts::SQRT_2;
        vec![links("links", Direction::Out, half), links("links-in", Direction::In, half)]
    } else {
        vec![links("links", Direction::Out, weight)]
    }
}

/// The views of a graph without attributes: its links, and two steps along them.
fn links_alone(both_ends: bool) -> Vec<ViewSpec> {
    let mut views = link_views(NORMALISED, 1.0, both_ends);
    views.push(ViewSpec {
        name: "two-steps".to_owned(),
        source: Source::Identity,
        propagate: Some(smoothing(Steps::Power(2))),
        ..ViewSpec::raw(LINKS)
    });
    views
}

/// What was measured, and the views with their weights.
fn explain(statistics: &GraphStatistics, preset: &Preset) -> String {
    let mut seen = Vec::new();
    if let Some(found) = statistics.prediction {
        let links = found.links.map_or_else(String::new, |links| format!(", links {links:.3}"));
        seen.push(format!(
            "hidden attributes are predicted by own ones {:.3}, two steps {:.3}, \
             eight {:.3}{links}",
            found.own, found.near, found.far
        ));
    } else if let (Some(_), Some(_)) = (statistics.mean_degree, statistics.form) {
        seen.push("too few attributes to hide some".to_owned());
    }
    seen.push(match statistics.mean_degree {
        Some(degree) => format!("{degree:.1} links a node"),
        None => "no links".to_owned(),
    });
    seen.push(statistics.form.map_or("no attributes", AttributeForm::describe).to_owned());
    if let EmbeddingScale::Rows(_) = preset.scale {
        seen.push("rows of uneven length".to_owned());
    }
    let weighted =
        |view: &ViewSpec| format!("{} {}", label(view), (1e3 * view.weight).round() / 1e3);
    let chosen: Vec<String> = preset.views.iter().map(weighted).collect();
    let chosen =
        if chosen.is_empty() { "further blocks alone".to_owned() } else { chosen.join(", ") };
    format!("{}: {chosen}", seen.join("; "))
}

/// A view in plain words.
fn label(view: &ViewSpec) -> String {
    match (&view.source, view.propagate.as_ref().map(|propagate| &propagate.steps)) {
        _ if view.log_affinity.is_some() => "logarithm of walks".to_owned(),
        (_, None) => view.name.clone(),
        (Source::Identity, Some(_)) => "two steps along links".to_owned(),
        (_, Some(Steps::Mean(times))) => format!("mean of {times} smoothings"),
        (_, Some(Steps::Power(_) | Steps::Polynomial(_))) => "smoothed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(own: f64, near: f64, far: f64, links: Option<f64>) -> AttributePrediction {
        AttributePrediction { own, near, far, links, columns: 9, nodes: 99, length_spread: 0.2 }
    }

    #[test]
    fn what_predicts_better_weighs_more() {
        let like = weights(Some(&found(0.70, 0.71, 0.71, None)));
        assert!(like.far == 1.0 && like.own < 1.0, "{like:?}");
        let unlike = weights(Some(&found(0.75, 0.67, 0.65, None)));
        assert!(unlike.own == 1.0 && unlike.far < 0.5 && unlike.walks < 0.5, "{unlike:?}");
        let apart = weights(Some(&found(0.78, 0.66, 0.61, None)));
        assert_eq!(apart.far, 0.0, "{apart:?}");
        let dense = weights(Some(&found(0.67, 0.75, 0.74, Some(0.73))));
        assert!(dense.predictive_links && dense.links > dense.own, "{dense:?}");
        assert!(!weights(Some(&found(0.75, 0.7, 0.7, Some(0.52)))).predictive_links);
    }

    #[test]
    fn scores_near_chance_decide_nothing() {
        let known = weights(Some(&found(0.501, 0.502, 0.501, None)));
        assert!(known.own > 0.3 && known.walks > 0.3 && known.far == 1.0, "{known:?}");
        let unknown = weights(None);
        let half = std::f64::consts::FRAC_1_SQRT_2;
        assert!((unknown.own - half).abs() + (unknown.walks - half).abs() < 1e-12);
        assert_eq!(unknown.far, 1.0);
    }

    #[test]
    fn weights_are_half_powers_of_two() {
        for at in 1..40 {
            let score = 0.5 + f64::from(at) / 100.0;
            let found = weights(Some(&found(0.7, score, score, Some(score))));
            for weight in [found.own, found.walks, found.far, found.links] {
                let halves = 2.0 * weight.log2();
                assert!(weight == 0.0 || (halves - halves.round()).abs() < 1e-12, "{weight}");
                assert!(weight <= 1.0 && (weight == 0.0 || weight >= NEGLIGIBLE));
            }
        }
    }
}
