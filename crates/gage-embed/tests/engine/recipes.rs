//! Views given by hand: what a preset sets, as data; fits on one part; and what lambda means.

use gage_embed::io::{recipe_of_toml, recipe_text};
use gage_embed::solver::{FitContext, prepare};
use gage_embed::views::{Transform, ViewRecipe, ViewSpec};
use gage_embed::*;

use crate::common::*;

const NODES: usize = 60;

fn ring(steps: &[u32], keep: u32) -> SparseMatrix {
    let nodes = NODES as u32;
    let mut entries = Vec::new();
    for node in (0..nodes).filter(|node| node % keep != 1) {
        for other in steps.iter().map(|step| (node + step) % nodes) {
            entries.extend([(node, other, 1.0), (other, node, 1.0)]);
        }
    }
    SparseMatrix::from_triplets(NODES, NODES, &entries).unwrap()
}

fn table(seed: u64) -> DenseMatrix {
    let mut numbers = Random::new(seed);
    let values = (0..NODES * 4).map(|at| numbers.symmetric() + (at / 24) as f64 / 5.0).collect();
    DenseMatrix::from_f64(NODES, 4, values).unwrap()
}

/// Links, attributes, and further blocks of both kinds.
fn graph(blocks: &[&str]) -> Graph {
    let mut graph = Graph::new(Nodes::numbered(NODES));
    for &name in blocks {
        let block = match name {
            "links" => Block::links(name, ring(&[1, 2], 7), false),
            "likes" => Block::links(name, ring(&[3, 10], 5), false),
            _ => Block::attributes(name, table(name.len() as u64)),
        };
        graph = graph.with_block(block).unwrap();
    }
    graph
}

fn request(preset: &str) -> FitRequest {
    let columns = Columns::Fixed(6);
    FitRequest { preset: preset.to_owned(), columns, ..FitRequest::default() }
}

fn fit_request(graph: &Graph, request: FitRequest) -> Result<Model, Error> {
    fit(graph, request.params(NODES)?.check()?)
}

const ALL: [&str; 4] = ["links", "attributes", "likes", "places"];

#[test]
fn what_a_preset_sets_can_be_written_and_given_back() {
    for blocks in [&ALL[..], &ALL[..2], &["links"], &["attributes"], &["likes", "places"]] {
        let graph = graph(blocks);
        for preset in Preset::all() {
            let name = preset.name.as_str();
            if name == "links" && !blocks.contains(&"links") {
                continue;
            }
            let params = request(name).params(NODES).unwrap().check().unwrap();
            let ctx = FitContext::default();
            let prepared = prepare(&graph, params, &ctx).unwrap();
            let text = recipe_text(&prepared.recipe(), &[]);
            let by_preset = prepared.fit(&ctx).unwrap();
            let recipe = Some(recipe_of_toml("recipe.toml".as_ref() as &std::path::Path, &text));
            let recipe = recipe.map(|read| read.unwrap_or_else(|error| panic!("{error}\n{text}")));
            let given = FitRequest { recipe, ..request("auto") };
            let by_hand = fit_request(&graph, given).unwrap();
            let (a, b) = (&by_preset, &by_hand);
            let embedding = |model: &Model| model.embedding(&Lambda::Preset).unwrap();
            let same = difference(&embedding(a), &embedding(b));
            assert_eq!(same, 0.0, "{name} of {blocks:?}\n{text}");
            assert_eq!(b.params().preset.name, "recipe");
            assert_eq!(b.params().views.as_ref().map(Vec::len), Some(a.views().len()));
        }
    }
}

#[test]
fn the_plain_model_takes_any_set_of_tables() {
    for blocks in [&ALL[..], &["likes", "places"], &["places"], &["likes"], &["links", "places"]] {
        let model = fit_request(&graph(blocks), request("paper")).unwrap();
        let names: Vec<&str> = model.views().iter().map(|view| view.name.as_str()).collect();
        assert_eq!(names, blocks);
        assert!(model.views().iter().all(|view| view.weight == 1.0 && !view.balanced));
        // `likes` alone has fewer directions than columns, which is another matter.
        let warnings = &model.info().warnings;
        assert!(!warnings.iter().any(|text| text.contains("none of the views")), "{warnings:?}");
    }
}

#[test]
fn blocks_without_a_view_are_told() {
    let graph = graph(&ALL);
    let told = |request: FitRequest| fit_request(&graph, request).unwrap().info().warnings.clone();
    let warnings = told(request("links"));
    for block in ["`likes`", "`places`"] {
        let says = |text: &String| text.contains(block) && text.contains("preset `links`");
        assert!(warnings.iter().any(says), "{warnings:?}");
    }
    let recipe = ViewRecipe::new(vec![ViewSpec::raw("links"), ViewSpec::raw("attributes")]);
    let warnings = told(FitRequest { recipe: Some(recipe), ..request("auto") });
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].starts_with("`likes` is in none of the views given"), "{warnings:?}");
    for preset in ["auto", "balanced", "paper"] {
        assert!(told(request(preset)).is_empty(), "{preset}");
    }
}

#[test]
fn a_recipe_is_checked_against_the_graph() {
    let graph = graph(&ALL[..2]);
    let refused = |views: Vec<ViewSpec>| {
        let recipe = Some(ViewRecipe::new(views));
        fit_request(&graph, FitRequest { recipe, ..request("auto") }).unwrap_err().to_string()
    };
    let view = |weight: f64| ViewSpec { weight, ..ViewSpec::raw("attributes") };
    assert!(refused(vec![ViewSpec::raw("likes")]).contains("`likes`, which the graph does not"));
    assert!(refused(vec![view(1.0), view(2.0)]).contains("two views are called `attributes`"));
    assert!(refused(Vec::new()).contains("no view"));
    for weight in [-1.0, 1e308, 1e-310, f64::NAN, f64::INFINITY] {
        assert!(refused(vec![view(weight)]).contains("from 1e-12 to 1e12"), "{weight}");
    }
    assert!(refused(vec![view(0.0)]).contains("above 0 for at least one view"));
    let words = ViewSpec { transform: Transform::Symmetric { self_loops: 0.0 }, ..view(1.0) };
    assert!(refused(vec![words]).contains("needs links"));
}

#[test]
fn weights_are_refused_or_right() {
    let graph = graph(&ALL[..2]);
    let with = |weights: [f64; 2]| {
        let weights = Some(weights.to_vec());
        fit_request(&graph, FitRequest { weights, ..request("paper") })
    };
    let refused = |weights| with(weights).unwrap_err().to_string();
    for weights in [[1.0, 1e308], [1.0, 1e-310], [-1.0, 1.0], [f64::NAN, 1.0], [1.0, -0.5]] {
        assert!(refused(weights).contains("from 1e-12 to 1e12"), "{weights:?}");
    }
    let nothing = refused([0.0, 0.0]);
    assert!(nothing.contains("`weights`") && nothing.contains("above 0"), "{nothing}");
    // Only the ratio of weights counts, up to the ends of their range.
    let one = with([1.0, 0.5]).unwrap();
    for scale in [1e-11, 0.25, 1e12] {
        let other = with([scale, 0.5 * scale]).unwrap();
        let gap = difference(one.factors(), other.factors());
        assert!(gap < 1e-4, "{scale}: {gap}");
    }
    let alone = with([0.0, 1e12]).unwrap();
    assert!(alone.views()[1].relative_loss <= one.views()[1].relative_loss + 1e-6);
}

#[test]
fn a_fit_on_one_part_sees_nothing_else() {
    for (only, blocks) in
        [(Only::Attributes, ["attributes", "places"]), (Only::Links, ["links", "likes"])]
    {
        for preset in ["auto", "balanced", "paper", "links"] {
            let request = FitRequest { only: Some(only), ..request(preset) };
            if preset == "links" && only == Only::Attributes {
                // Nothing to hide: the views without links of its first candidate remain.
                let model = fit_request(&graph(&ALL), request).unwrap();
                assert!(model.views().iter().all(|view| !view.uses_links));
                continue;
            }
            let part = fit_request(&graph(&ALL), request.clone()).unwrap();
            let alone = FitRequest { only: None, ..request };
            let alone = fit_request(&graph(&blocks), alone).unwrap();
            let both = [&part, &alone].map(|model| model.embedding(&Lambda::Preset).unwrap());
            assert_eq!(difference(&both[0], &both[1]), 0.0, "{preset} {only:?}");
            assert_eq!(part.info().warnings, alone.info().warnings);
        }
    }
    // Of views given by hand, those of the other part are left out.
    let views = ALL.iter().map(|block| ViewSpec::raw(block)).collect();
    let recipe = Some(ViewRecipe::new(views));
    let request = FitRequest { recipe, only: Some(Only::Links), ..request("auto") };
    let model = fit_request(&graph(&ALL), request).unwrap();
    let names: Vec<&str> = model.views().iter().map(|view| view.name.as_str()).collect();
    assert_eq!(names, ["links", "likes"]);
    let request = FitRequest { only: Some(Only::Links), ..self::request("paper") };
    let refused = fit_request(&graph(&["attributes"]), request).unwrap_err().to_string();
    assert!(refused.contains("only links were requested"), "{refused}");
}

#[test]
fn lambda_of_an_end_without_views_is_refused() {
    let model = |blocks: &[&str]| fit_request(&graph(blocks), request("auto")).unwrap();
    let links = model(&["links"]);
    assert!(links.embedding(&Lambda::Links(1.0)).is_ok());
    for lambda in [0.0, 0.5] {
        let refused = links.embedding(&Lambda::Links(lambda)).unwrap_err();
        assert!(matches!(refused, Error::EmptyEnd { possible: 1, .. }), "{refused}");
    }
    let words = model(&["attributes"]);
    assert!(words.embedding(&Lambda::Links(0.0)).is_ok());
    let refused = words.embedding(&Lambda::Links(0.3)).unwrap_err();
    assert!(matches!(refused, Error::EmptyEnd { possible: 0, .. }), "{refused}");
    let both = model(&ALL[..2]);
    let ends = both.lambda_ends();
    assert!(ends.links.iter().any(|name| name == "far"), "{ends}");
    assert!(ends.others.iter().any(|name| name == "attributes"), "{ends}");
}
