//! Computations of the demo: fits, scores and examples.

use std::time::Instant;

use anyhow::{Context, Result};
use gage_embed::eval::{ClassifyParams, TrainSize, classify_with};
use gage_embed::graph::BlockKind;
use gage_embed::model::certify;
use gage_embed::search::{Metric, Neighbour, Space, nearest};
use gage_embed::views::{EmbeddingScale, Transform, ViewSpec};
use gage_embed::{
    Block, CertificateParams, Dimension, FitParams, Graph, Labels, Lambda, Model, fit_with,
};

use super::report::{Findings, LOOKS, Score, Seconds, Sizes, Story};
use crate::interrupt;
use crate::session::Session;

/// Packages whose neighbours the demo prints.
const TOLD: [&str; 3] = ["gimp", "emacs", "postgresql"];

/// Similar packages kept for every package.
const SIMILAR: usize = 6;

/// Columns of the embedding.
const COLUMNS: usize = 128;

/// Shares of packages that classifiers are trained on.
const TRAIN: [f64; 2] = [0.5, 0.1];

/// What a model is fitted to.
#[derive(Clone, Copy, PartialEq)]
enum Views {
    Both,
    Links,
    Words,
}

fn fit_views(graph: &Graph, views: Views, session: &Session) -> Result<Model> {
    let mut params = FitParams {
        dimension: Dimension::Fixed(COLUMNS),
        seed: session.seed,
        ..FitParams::preset("balanced")?
    };
    params.preset.scale = EmbeddingScale::Unit;
    // Two plain views on one scale that count the same: then lambda = 1 is links, nothing else.
    let view = |block, name: &str, transform| ViewSpec {
        name: name.to_owned(),
        transform,
        share: 0.5,
        ..ViewSpec::raw(block)
    };
    let links = view("links", "links", Transform::Symmetric { self_loops: 0.0 });
    let words = view("attributes", "words", Transform::TfIdf);
    params.views = Some(match views {
        Views::Both => vec![links, words],
        Views::Links => vec![links],
        Views::Words => vec![words],
    });
    Ok(fit_with(graph, params.check()?, &session.bar())?)
}

/// Fits the model: links and words on one scale. Also returns the seconds it took.
pub(super) fn fit_model(graph: &Graph, session: &Session) -> Result<(Model, f64)> {
    let started = Instant::now();
    let model = fit_views(graph, Views::Both, session)?;
    Ok((model, started.elapsed().as_secs_f64()))
}

/// Checks and uses the model; returns what was found.
pub(super) fn study(
    graph: &Graph,
    model: &Model,
    fit_seconds: f64,
    session: &Session,
) -> Result<Findings> {
    let seed = session.seed;
    let labels = graph.labels().context("the demo data has no labels")?;
    let started = Instant::now();
    let certificate =
        certify(model, graph, &CertificateParams { seed, ..Default::default() }, &session.bar())?;
    let certified = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let scores = scores(graph, labels, model, session)?;
    let classified = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let stories = look_at(graph, model, session)?;
    let seconds = Seconds {
        fit: fit_seconds,
        certify: certified,
        classify: classified,
        map: started.elapsed().as_secs_f64(),
    };
    let largest = labels.class_sizes().into_iter().max().unwrap_or(0);
    let chance = largest as f64 / graph.nodes().len().max(1) as f64;
    Ok(Findings { sizes: sizes(graph), seconds, certificate, chance, scores, stories })
}

/// Scores of the model at every look, and of models that saw one view only.
fn scores(graph: &Graph, labels: &Labels, model: &Model, session: &Session) -> Result<Vec<Score>> {
    let params = ClassifyParams {
        train: TRAIN.map(TrainSize::Share).to_vec(),
        shuffles: 5,
        seed: session.seed,
        ..ClassifyParams::default()
    };
    let mut embeddings = Vec::new();
    for (name, views) in [("links alone", Views::Links), ("words alone", Views::Words)] {
        let alone = fit_views(graph, views, session)?;
        embeddings.push((name, None, alone.embedding(&Lambda::Preset)?));
    }
    for look in LOOKS {
        let embedding = model.embedding(&Lambda::Links(look.lambda))?;
        embeddings.push(("both", Some(look.lambda), embedding));
    }
    let steps = session.steps("classifiers");
    let mut scores = Vec::new();
    for (embedding, lambda, rows) in embeddings {
        let report = classify_with(&rows.to_f32(), labels, &params, &steps)?;
        scores.extend(TRAIN.into_iter().zip(report.results).map(|(train, result)| Score {
            embedding,
            lambda,
            train,
            micro_f1: result.micro_f1,
            macro_f1: result.macro_f1,
        }));
    }
    Ok(scores)
}

/// Similar packages at every look.
fn look_at(graph: &Graph, model: &Model, session: &Session) -> Result<Vec<Story>> {
    let _spinner = session.spinner("similar packages");
    let (told, mut stories) = stories(graph)?;
    for (at, look) in LOOKS.iter().enumerate() {
        interrupt::check()?;
        let space = Space::of_model(model, &Lambda::Links(look.lambda))?;
        for (story, &node) in stories.iter_mut().zip(&told) {
            let near = nearest(&space, node, SIMILAR, Metric::Cosine).unwrap_or_default();
            let entry = |near: Neighbour| (graph.nodes().id(near.node), near.value);
            story.similar[at] = near.into_iter().map(entry).collect();
        }
    }
    Ok(stories)
}

/// The packages to tell of, and their stories before there is anything to tell.
fn stories(graph: &Graph) -> Result<(Vec<usize>, Vec<Story>)> {
    let mut stories: Vec<Story> = Vec::new();
    let mut told = Vec::new();
    for name in TOLD {
        let node = graph.nodes().find(name).with_context(|| format!("no package {name}"))?;
        told.push(node);
        let section = graph.labels().and_then(|labels| {
            Some(labels.class_names()[*labels.of(node).first()? as usize].clone())
        });
        let (package, section) = (name.to_owned(), section.unwrap_or_default());
        stories.push(Story { package, section, similar: vec![Vec::new(); LOOKS.len()] });
    }
    Ok((told, stories))
}

fn sizes(graph: &Graph) -> Sizes {
    let entries = |wanted: fn(&Block) -> bool| -> (usize, usize) {
        let blocks = graph.blocks().iter().filter(|block| wanted(block));
        blocks.fold((0, 0), |sum, block| (sum.0 + block.matrix.nnz(), sum.1 + block.matrix.cols()))
    };
    let links = entries(|block| matches!(block.kind, BlockKind::Links { .. }));
    let words = entries(|block| matches!(block.kind, BlockKind::Attributes));
    Sizes {
        nodes: graph.nodes().len(),
        // An undirected block holds every link twice.
        links: links.0 / 2,
        words: words.1,
        word_uses: words.0,
        sections: graph.labels().map_or(0, |labels| labels.class_names().len()),
    }
}
