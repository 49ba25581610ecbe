//! Candidates re-ranked at any shares, against a search over all nodes: on Debian packages.

use std::path::Path;

use gage_embed::io::load;
use gage_embed::search::{Metric, Space, nearest};
use gage_embed::{Dimension, FitParams, Lambda, Model, fit};
use gage_explorer::{Pool, anchors};
use gage_plot::layout::{self, unit_rows};

/// Every so many nodes are compared.
const STEP: usize = 13;

fn model() -> Model {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gage-debian/data/debian");
    let graph = load(&gage_debian::spec(&folder)).unwrap().graph;
    let params = FitParams { dimension: Dimension::Fixed(32), ..FitParams::default() };
    fit(&graph, params.check().unwrap()).unwrap()
}

fn pool(model: &Model) -> Pool {
    let uses_links: Vec<bool> = model.views().iter().map(|view| view.uses_links).collect();
    let lists: Vec<_> = anchors(&model.shares(&Lambda::Preset).unwrap(), &uses_links)
        .into_iter()
        .map(|shares| {
            let rows = model.embedding(&Lambda::PerView(shares)).unwrap().to_f32();
            layout::nearest(&unit_rows(&rows), 30, 10_000, 0)
        })
        .collect();
    Pool::new(model, &lists)
}

#[test]
fn candidates_have_the_true_cosines_and_nearly_all_true_neighbours() {
    let model = model();
    let pool = pool(&model);
    for lambda in [0.0, 0.2, 0.4, 0.8, 1.0].map(Lambda::Links) {
        let shares = model.shares(&lambda).unwrap();
        let space = Space::of_model(&model, &lambda).unwrap();
        let mut hits = 0;
        let mut wanted = 0;
        for node in (0..pool.nodes()).step_by(STEP) {
            let expected = nearest(&space, node, 15, Metric::Cosine).unwrap_or_default();
            wanted += expected.len();
            let found = pool.nearest(node, &shares, 15);
            for (other, value) in &found {
                let Some(near) = expected.iter().find(|near| near.node == *other as usize) else {
                    continue;
                };
                hits += 1;
                assert!((near.value - value).abs() < 1e-5, "{node}, {other}");
                let parts = pool.parts(node, *other, &shares);
                for (part, expected) in parts.iter().zip(&near.by_view) {
                    assert!((part - expected).abs() < 1e-5);
                }
            }
        }
        let recall = f64::from(hits) / wanted as f64;
        assert!(recall > 0.985, "{lambda:?}: {recall}");
    }
}

#[test]
fn a_layout_gets_as_many_neighbours_for_every_node() {
    let model = model();
    let pool = pool(&model);
    let near = pool.neighbours(&model.shares(&Lambda::Links(0.3)).unwrap(), 15);
    assert_eq!((near.k, near.rows.len()), (15, 15 * pool.nodes()));
    for (node, list) in near.rows.chunks_exact(15).enumerate() {
        assert!(list.iter().all(|&other| other as usize != node));
    }
    assert!(near.squares.chunks_exact(15).all(|list| list.is_sorted()));
    assert!(pool.bytes() > 4 * near.rows.len());
}
