//! Everything the demo computes.

use std::time::Instant;

use anyhow::{Context, Result};
use gage_embed::eval::{ClassifyParams, Spread, TrainSize, classify};
use gage_embed::graph::BlockKind;
use gage_embed::model::{Certificate, certify};
use gage_embed::views::{EmbeddingScale, Transform, ViewSpec};
use gage_embed::{
    Block, CertificateParams, Dimension, FitParams, Graph, Labels, Lambda, Model, NoObserver, fit,
};
use gage_plot::layout::{LayoutParams, Point, arrange, nearest, unit_rows};
use serde::Serialize;

/// A way to look at the one fitted model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Look {
    /// Share of the links.
    pub lambda: f64,
    /// In words.
    pub name: &'static str,
}

/// The three ways the demo looks at its model.
pub const LOOKS: [Look; 3] = [
    Look { lambda: 1.0, name: "links only" },
    Look { lambda: 0.5, name: "both" },
    Look { lambda: 0.0, name: "words only" },
];

/// Packages whose neighbours the demo prints.
pub const TOLD: [&str; 3] = ["gimp", "emacs", "postgresql"];

/// Similar packages kept for every package.
pub(super) const SIMILAR: usize = 6;

/// Columns of the embedding.
const COLUMNS: usize = 128;

/// Counts of the data.
#[derive(Clone, Debug, Serialize)]
pub struct Sizes {
    /// Packages.
    pub nodes: usize,
    /// Pairs of packages with a link.
    pub links: usize,
    /// Words.
    pub words: usize,
    /// Pairs of a package and a word of its description.
    pub word_uses: usize,
    /// Sections.
    pub sections: usize,
}

/// Seconds each part took.
#[derive(Clone, Debug, Serialize)]
pub struct Seconds {
    /// Fitting the model.
    pub fit: f64,
    /// Checking it.
    pub certify: f64,
    /// Training and testing classifiers.
    pub classify: f64,
    /// Similar packages and maps.
    pub map: f64,
}

/// How well sections are told apart from one embedding, at one share of training packages.
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    /// Which embedding.
    pub embedding: &'static str,
    /// Share of the links in it, for the model of both views.
    pub lambda: Option<f64>,
    /// Share of packages trained on.
    pub train: f64,
    /// Share of right answers.
    pub micro_f1: Spread,
    /// Mean over sections.
    pub macro_f1: Spread,
}

/// Shares of packages that classifiers are trained on.
pub(super) const TRAIN: [f64; 2] = [0.5, 0.1];

/// Similar packages of one package.
#[derive(Clone, Debug, Serialize)]
pub struct Story {
    /// The package.
    pub package: String,
    /// Its section.
    pub section: String,
    /// Most similar packages with their cosines, one list for each look.
    pub similar: Vec<Vec<(String, f64)>>,
}

/// Neighbours and a map at one look.
pub(super) struct View {
    pub(super) similar: Vec<u16>,
    pub(super) points: Vec<Point>,
}

/// All results.
pub(super) struct Study {
    pub(super) sizes: Sizes,
    pub(super) seconds: Seconds,
    pub(super) certificate: Certificate,
    /// Share of the largest section: what always answering it would score.
    pub(super) chance: f64,
    pub(super) scores: Vec<Score>,
    pub(super) stories: Vec<Story>,
    pub(super) views: Vec<View>,
}

/// What a model is fitted to.
#[derive(Clone, Copy, PartialEq)]
enum Views {
    Both,
    Links,
    Words,
}

fn fit_views(graph: &Graph, views: Views, seed: u64) -> Result<Model> {
    let mut params =
        FitParams { dimension: Dimension::Fixed(COLUMNS), seed, ..FitParams::preset("balanced")? };
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
    Ok(fit(graph, params.check()?)?)
}

/// Fits the model: links and words on one scale. Also returns the seconds it took.
pub(super) fn fit_model(graph: &Graph, seed: u64) -> Result<(Model, f64)> {
    let started = Instant::now();
    let model = fit_views(graph, Views::Both, seed)?;
    Ok((model, started.elapsed().as_secs_f64()))
}

/// Checks and uses the model.
pub(super) fn study(graph: &Graph, model: &Model, fit_seconds: f64, seed: u64) -> Result<Study> {
    let labels = graph.labels().context("the demo data has no labels")?;
    let started = Instant::now();
    let certificate =
        certify(model, graph, &CertificateParams { seed, ..Default::default() }, &NoObserver)?;
    let certified = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let scores = scores(graph, labels, model, seed)?;
    let classified = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let (views, stories) = look_at(graph, model, seed)?;
    let seconds = Seconds {
        fit: fit_seconds,
        certify: certified,
        classify: classified,
        map: started.elapsed().as_secs_f64(),
    };
    let largest = labels.class_sizes().into_iter().max().unwrap_or(0);
    let chance = largest as f64 / graph.nodes().len().max(1) as f64;
    Ok(Study { sizes: sizes(graph), seconds, certificate, chance, scores, stories, views })
}

/// Scores of the model at every look, and of models that saw one view only.
fn scores(graph: &Graph, labels: &Labels, model: &Model, seed: u64) -> Result<Vec<Score>> {
    let params = ClassifyParams {
        train: TRAIN.map(TrainSize::Share).to_vec(),
        shuffles: 5,
        seed,
        ..ClassifyParams::default()
    };
    let mut embeddings = Vec::new();
    for (name, views) in [("links alone", Views::Links), ("words alone", Views::Words)] {
        let alone = fit_views(graph, views, seed)?;
        embeddings.push((name, None, alone.embedding(&Lambda::Preset)?));
    }
    for look in LOOKS {
        let embedding = model.embedding(&Lambda::Links(look.lambda))?;
        embeddings.push(("both", Some(look.lambda), embedding));
    }
    let mut scores = Vec::new();
    for (embedding, lambda, rows) in embeddings {
        let report = classify(&rows.to_f32(), labels, &params)?;
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

/// Similar packages and a map at every look. The map in the middle is made first and the others start from it, so that
/// a package is found in about the same place on all of them.
fn look_at(graph: &Graph, model: &Model, seed: u64) -> Result<(Vec<View>, Vec<Story>)> {
    let params = LayoutParams { seed, ..LayoutParams::default() };
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
    let mut views: Vec<Option<View>> = LOOKS.iter().map(|_| None).collect();
    let mut first: Option<Vec<Point>> = None;
    for at in [1, 0, 2] {
        let unit = unit_rows(&model.embedding(&Lambda::Links(LOOKS[at].lambda))?.to_f32());
        let found = nearest(&unit, params.neighbours, params.exact_nodes, seed);
        let points = arrange(&unit, &found, first.as_deref(), &params);
        for (story, &node) in stories.iter_mut().zip(&told) {
            let list = (node * found.k..(node + 1) * found.k).take(SIMILAR);
            // Rows have length one, so the squared distance tells the cosine.
            let entry = |place: usize| {
                let cosine = 1.0 - 0.5 * f64::from(found.squares[place]);
                (graph.nodes().id(found.rows[place] as usize), cosine)
            };
            story.similar[at] = list.map(entry).collect();
        }
        let similar =
            found.rows.chunks_exact(found.k).flat_map(|list| &list[..SIMILAR.min(found.k)]);
        let similar = similar.map(|&row| row as u16).collect();
        first.get_or_insert_with(|| points.clone());
        views[at] = Some(View { similar, points });
    }
    Ok((views.into_iter().flatten().collect(), stories))
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
