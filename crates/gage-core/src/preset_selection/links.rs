//! The preset `links`: the views and shares that best predict links hidden from the fit.
//!
//! A fifth of the given links is hidden, and every candidate is fitted to the rest. Shares cost
//! only a re-weighting of the columns, so several are scored for each fit: by the area under the
//! ROC curve and the average precision of dot products on the hidden links. Labels are not used,
//! nor links that the caller withholds for a test: they are not in the graph.

use crate::error::Error;
use crate::fit::Prepared;
use crate::graph::{ATTRIBUTES, Graph, LINKS};
use crate::holdout::{EvalError, HiddenLinks, LinkReport, LinkScore, hide_links, score_links};
use crate::model::{Lambda, Model};
use crate::params::FitParams;
use crate::progress::Stage;
use crate::solver::FitContext;
use crate::views::{EmbeddingScale, Preset, Source, Steps, Transform, ViewSpec};
use gage_linalg::{AnyTall, LocalReducer};

use super::selection::{Selection, Trial};
use super::smoothing::smoothing;

/// Share of the links that is hidden.
const HIDDEN: f64 = 0.2;

/// Views of one candidate, and the shares to score, one per view.
struct Candidate {
    views: Vec<ViewSpec>,
    shares: Vec<Vec<f64>>,
}

/// Candidates for a graph with or without attributes.
///
/// Two steps along normalised links predict links better than one: few nodes share neighbours by
/// chance, and squaring damps the noise (BlogCatalog, F = 256: AUC .85 against .78).
fn candidates(attributes: bool) -> Vec<Candidate> {
    let view = |name: &str, weight: f64| ViewSpec {
        name: name.to_owned(),
        transform: Transform::TfIdf,
        weight,
        share: weight,
        ..ViewSpec::raw(ATTRIBUTES)
    };
    let steps = |number: usize, weight: f64| ViewSpec {
        name: "steps".to_owned(),
        source: Source::Identity,
        propagate: Some(smoothing(Steps::Power(number))),
        weight,
        share: weight,
        ..ViewSpec::raw(LINKS)
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

/// The preset of the first candidate, on which a plan of the fit is based.
pub(super) fn first_candidate(graph: &Graph) -> Option<Preset> {
    let attributes = graph.block(ATTRIBUTES).is_some();
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
        selection: None,
    }
}

/// Fits and scores all candidates.
pub(super) fn select_by_links(
    graph: &Graph,
    params: &FitParams,
    ctx: &FitContext<'_>,
) -> Result<(Preset, Selection), Error> {
    // Every worker tries the same fits, on all rows.
    let ctx = FitContext { reducer: &LocalReducer, checkpoints: None, ..ctx.clone() };
    let candidates = candidates(graph.block(ATTRIBUTES).is_some());
    let hidden = match hide_links(graph, Some(LINKS), HIDDEN, params.seed) {
        Ok(hidden) => hidden,
        // Too few links to hide some: the first candidate is taken without a trial.
        Err(why) => {
            let views = candidates.into_iter().next().map_or(Vec::new(), |first| first.views);
            let rationale = format!("links could not be hidden to choose by ({why})");
            let selection = Selection { rationale, statistics: None, trials: Vec::new() };
            return Ok((preset(views), selection));
        }
    };
    let mut trials = Vec::new();
    let mut best: Option<(f64, f64, Preset)> = None;
    for candidate in candidates {
        let model = fit_candidate(&candidate, &hidden, params, &ctx)?;
        for shares in candidate.shares {
            let Ok(scores) = score(&model, &shares, &hidden)? else { continue };
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
            let sum = scores.auc + scores.average_precision;
            if best.as_ref().is_none_or(|(found, _, _)| sum > *found) {
                best = Some((sum, scores.auc, preset(views)));
            }
        }
    }
    let (_, auc, preset) = best.ok_or(Error::NotFinite { stage: Stage::Factors })?;
    let shares: Vec<String> =
        preset.views.iter().map(|view| format!("{} {}", view.name, view.share)).collect();
    let rationale = format!(
        "{} of the links hidden, {} choices tried, AUC {auc:.3} by shares {}",
        hidden.split.held_out.len(),
        trials.len(),
        shares.join(", ")
    );
    Ok((preset, Selection { rationale, statistics: None, trials }))
}

/// Fits the views of a candidate to the links that are left.
fn fit_candidate(
    candidate: &Candidate,
    hidden: &HiddenLinks,
    params: &FitParams,
    ctx: &FitContext<'_>,
) -> Result<Model, Error> {
    let params = FitParams {
        preset: preset(candidate.views.clone()),
        views: None,
        weights: None,
        refine: None,
        certificate: None,
        loadings: false,
        ..params.clone()
    };
    // This preset has fixed views, so the run does not select again.
    let params = params.check()?;
    Prepared::new(&hidden.graph, params, ctx)?.fit(ctx)
}

/// Scores the hidden links by the embedding with these shares.
fn score(
    model: &Model,
    shares: &[f64],
    hidden: &HiddenLinks,
) -> Result<Result<LinkReport, EvalError>, Error> {
    Ok(match &model.embedding(&Lambda::PerView(shares.to_vec()))? {
        AnyTall::F32(rows) => score_links(rows, &hidden.split, LinkScore::Dot),
        AnyTall::F64(rows) => score_links(rows, &hidden.split, LinkScore::Dot),
    })
}
