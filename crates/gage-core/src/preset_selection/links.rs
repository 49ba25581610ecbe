//! The preset `links`: views and shares that best predict links hidden from the fit.
//!
//! A fifth of the given links is hidden, every candidate is fitted to the rest, and every choice of shares - free, by
//! re-weighting - is scored by how well dot products tell the hidden links from pairs that are not linked. Labels are not
//! looked at, nor links that the caller keeps for a test: they are not in the graph.

use crate::error::Error;
use crate::fit::Run;
use crate::graph::Graph;
use crate::holdout::{LinkScore, hide_links, score_links};
use crate::model::Lambda;
use crate::params::FitParams;
use crate::progress::{Observer, Stage};
use crate::views::{EmbeddingScale, Preset, Source, Steps, Transform, ViewSpec};
use gage_linalg::{AnyTall, LocalReducer};

use super::auto::smoothing;
use super::choice::{Choice, Trial};

/// Share of the links that is hidden to choose by.
const HIDDEN: f64 = 0.2;

/// Views of one candidate, and the shares to try, one per view.
struct Candidate {
    views: Vec<ViewSpec>,
    shares: Vec<Vec<f64>>,
}

/// What is tried on a graph with or without attributes.
///
/// Two steps along normalised links predict links better than the links themselves: few nodes share neighbours with a
/// node by chance, and squares damp the noise (BlogCatalog, F = 256: AUC .85 against .78).
fn candidates(attributes: bool) -> Vec<Candidate> {
    let view = |name: &str, weight: f64| ViewSpec {
        name: name.to_owned(),
        transform: Transform::TfIdf,
        weight,
        share: weight,
        ..ViewSpec::raw("attributes")
    };
    let steps = |number: usize, weight: f64| ViewSpec {
        name: "steps".to_owned(),
        source: Source::Identity,
        propagate: Some(smoothing(Steps::Power(number))),
        weight,
        share: weight,
        ..ViewSpec::raw("links")
    };
    let smoothed =
        ViewSpec { propagate: Some(smoothing(Steps::Power(1))), ..view("smoothed", 1.0) };
    if !attributes {
        let alone = |number| Candidate { views: vec![steps(number, 1.0)], shares: vec![vec![1.0]] };
        return vec![alone(1), alone(2), alone(3)];
    }
    vec![
        Candidate {
            views: vec![steps(2, 0.3), view("attributes", 1.0), smoothed],
            shares: vec![
                vec![1.0, 0.0, 1.0],
                vec![0.3, 0.0, 1.0],
                vec![0.3, 1.0, 1.0],
                vec![1.0, 0.0, 0.0],
                vec![1.0, 1.0, 1.0],
            ],
        },
        Candidate {
            views: vec![steps(2, 1.0), view("attributes", 1.0)],
            shares: vec![vec![1.0, 0.0], vec![0.9, 0.1], vec![0.5, 0.5]],
        },
    ]
}

/// The preset before anything is tried: what a plan of the fit counts with.
pub(super) fn untried(graph: &Graph) -> Option<Preset> {
    let attributes = graph.block("attributes").is_some();
    candidates(attributes).into_iter().next().map(|candidate| preset(candidate.views))
}

fn preset(views: Vec<ViewSpec>) -> Preset {
    Preset {
        name: "links".to_owned(),
        description: "Views and shares that best predict hidden links.".to_owned(),
        views,
        further_links: None,
        further_attributes: None,
        balance: true,
        scale: EmbeddingScale::Unit,
        choose: None,
    }
}

/// Tries all candidates.
pub(super) fn choose_by_links(
    graph: &Graph,
    params: &FitParams,
    observer: &dyn Observer,
) -> Result<(Preset, Choice), Error> {
    let candidates = candidates(graph.block("attributes").is_some());
    let hidden = match hide_links(graph, Some("links"), HIDDEN, params.seed) {
        Ok(hidden) => hidden,
        // Too few links to hide some: nothing to choose by.
        Err(why) => {
            let views = candidates.into_iter().next().map_or(Vec::new(), |first| first.views);
            let saw = format!("links could not be hidden to choose by ({why})");
            return Ok((preset(views), Choice { saw, facts: None, trials: Vec::new() }));
        }
    };
    let mut trials = Vec::new();
    let mut best: Option<(f64, f64, Preset)> = None;
    for candidate in candidates {
        let trial = FitParams {
            preset: preset(candidate.views.clone()),
            views: None,
            weights: None,
            refine: None,
            certificate: None,
            loadings: false,
            ..params.clone()
        };
        // Its preset chooses nothing, so there is nothing to resolve.
        let trial = trial.check()?;
        let run = Run { params: &trial, observer, reducer: &LocalReducer, keeper: None };
        let (model, _) = run.fit(&hidden.graph, None)?;
        for shares in candidate.shares {
            let embedding = model.embedding(&Lambda::PerView(shares.clone()))?;
            let scores = match &embedding {
                AnyTall::F32(rows) => score_links(rows, &hidden.split, LinkScore::Dot),
                AnyTall::F64(rows) => score_links(rows, &hidden.split, LinkScore::Dot),
            };
            let Ok(scores) = scores else { continue };
            let views: Vec<ViewSpec> = candidate
                .views
                .iter()
                .zip(&shares)
                .map(|(view, &share)| ViewSpec { share, ..view.clone() })
                .collect();
            trials.push(Trial {
                views: views.iter().map(|v| (v.name.clone(), v.weight, v.share)).collect(),
                auc: scores.auc,
                average_precision: scores.average_precision,
            });
            let score = scores.auc + scores.average_precision;
            if best.as_ref().is_none_or(|(found, _, _)| score > *found) {
                best = Some((score, scores.auc, preset(views)));
            }
        }
    }
    let (_, auc, preset) = best.ok_or(Error::NotFinite { stage: Stage::Factors })?;
    let shares: Vec<String> =
        preset.views.iter().map(|view| format!("{} {}", view.name, view.share)).collect();
    let saw = format!(
        "{} of the links hidden, {} choices tried, AUC {auc:.3} by shares {}",
        hidden.split.held_out.len(),
        trials.len(),
        shares.join(", ")
    );
    Ok((preset, Choice { saw, facts: None, trials }))
}
