//! Candidates re-ranked at any shares, against a search over all nodes.

use gage_embed::search::{Metric, Space, nearest};
use gage_embed::{Block, Dimension, FitParams, Graph, Lambda, Model, Nodes, SparseMatrix, fit};
use gage_explorer::{Pool, anchors};
use gage_plot::layout::{self, unit_rows};

const NODES: usize = 600;

fn model() -> Model {
    let mut state = 1u64;
    let mut random = |bound: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let (mut links, mut words) = (Vec::new(), Vec::new());
    for i in 0..NODES as u32 {
        // Links and words belong to different groups, so that lambda matters.
        for _ in 0..6 {
            let j = (random(NODES as u64 / 6) as u32 * 6 + i % 6) % NODES as u32;
            links.extend([(i, j, 1.0), (j, i, 1.0)]);
        }
        words.extend((0..5).map(|_| (i, (i / 100) * 10 + random(12) as u32, 1.0)));
    }
    let links = SparseMatrix::from_triplets(NODES, NODES, &links).unwrap();
    let words = SparseMatrix::from_triplets(NODES, 80, &words).unwrap();
    let graph = Graph::new(Nodes::numbered(NODES))
        .with_block(Block::links("links", links, false))
        .and_then(|graph| graph.with_block(Block::attributes("words", words)))
        .unwrap();
    let params = FitParams { dimension: Dimension::Fixed(24), ..FitParams::default() };
    fit(&graph, params.check().unwrap()).unwrap()
}

fn pool(model: &Model) -> Pool {
    let lists: Vec<_> = anchors(&model.shares(&Lambda::Preset).unwrap())
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
    for lambda in [0.0, 0.2, 0.5, 0.7, 1.0].map(Lambda::Links) {
        let shares = model.shares(&lambda).unwrap();
        let space = Space::of_model(&model, &lambda).unwrap();
        let mut hits = 0;
        for node in 0..NODES {
            let expected = nearest(&space, node, 15, Metric::Cosine).unwrap_or_default();
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
        let recall = hits as f64 / (15 * NODES) as f64;
        assert!(recall > 0.97, "{lambda:?}: {recall}");
    }
}

#[test]
fn a_layout_gets_as_many_neighbours_for_every_node() {
    let model = model();
    let pool = pool(&model);
    let near = pool.neighbours(&[0.5, 0.5], 15);
    assert_eq!((near.k, near.rows.len()), (15, 15 * NODES));
    for (node, list) in near.rows.chunks_exact(15).enumerate() {
        assert!(list.iter().all(|&other| other as usize != node));
    }
    assert!(near.squares.chunks_exact(15).all(|list| list.is_sorted()));
    assert_eq!(pool.nodes(), NODES);
    assert!(pool.bytes() > 4 * near.rows.len());
}
