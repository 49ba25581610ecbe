//! New nodes with attributes alone, with links alone, with both, and the data of fitted nodes.

use std::path::Path;

use crate::common::*;
use crate::fold_in::{induced, rows_of};
use gage_embed::eval::{
    KnownData, NewNodesParams, NewNodesReport, PlantedGraph, PlantedParams, evaluate_new_nodes,
};
use gage_embed::model::{FoldedIn, NewBlock, NewNodes};
use gage_embed::views::Direction;
use gage_embed::*;

/// A graph of which a fifth of the nodes is new.
struct Split {
    graph: Graph,
    new: Vec<u32>,
    old: Vec<u32>,
    place: Vec<u32>,
}

impl Split {
    fn of(graph: Graph) -> Split {
        let nodes = graph.nodes().len() as u32;
        let mut numbers = Random::new(10);
        let (new, old): (Vec<u32>, Vec<u32>) = (0..nodes).partition(|_| numbers.unit() < 0.2);
        let mut place = vec![u32::MAX; nodes as usize];
        old.iter().enumerate().for_each(|(at, &node)| place[node as usize] = at as u32);
        Split { graph, new, old, place }
    }

    /// What some blocks say about some nodes, with their links to fitted nodes.
    fn data(&self, nodes: &[u32], blocks: &[&str]) -> NewNodes {
        let blocks = self.graph.blocks().iter().filter(|b| blocks.contains(&b.name.as_str()));
        let block = |block: &Block| NewBlock {
            name: block.name.clone(),
            direction: Direction::Out,
            matrix: rows_of(block, nodes, &self.place, self.old.len()),
            observed: None,
        };
        NewNodes { count: nodes.len(), blocks: blocks.map(block).collect() }
    }
}

const BLOCKS: [&[&str]; 3] = [&["attributes"], &["links"], &["links", "attributes"]];

/// What is promised of rows of new nodes.
struct Goals {
    /// How far the micro F1 by attributes alone or by links alone may be below that of a fit of the
    /// same data.
    one_block: f64,
    /// The same by both.
    both: f64,
    /// The cosine of a fitted node's row and what its own data give, at least.
    own_cosine: f64,
    /// How much longer or shorter it may be.
    own_length: f64,
}

impl Goals {
    fn of(preset: &str) -> Goals {
        if preset == "auto" {
            // A logarithm of walks is taken to be linear for new rows.
            Goals { one_block: 0.03, both: 0.045, own_cosine: 0.97, own_length: 0.07 }
        } else {
            Goals { one_block: 0.03, both: 0.015, own_cosine: 0.99, own_length: 0.05 }
        }
    }
}

/// Besides, rows by attributes alone are at most 10% longer or shorter than fitted ones.
fn assert_goals(what: &str, preset: &str, found: &NewNodesReport) {
    let goals = Goals::of(preset);
    for result in &found.results {
        let (known, length) = (result.known, result.length.mean);
        let slack = if known == KnownData::Everything { goals.both } else { goals.one_block };
        let NewNodesReport { held_out, .. } = found;
        eprintln!(
            "{what} {preset} {known:?}: {:.3} for {:.3}, length {length:.2} ({held_out} new nodes)",
            result.folded_in.mean, result.fitted.mean
        );
        let difference = &result.difference;
        assert!(difference.mean >= -slack, "{what} {preset} {known:?}: {difference:?}");
        if known == KnownData::Attributes {
            assert!((0.9..1.1).contains(&length), "{what} {preset} {known:?}: length {length}");
        }
    }
    let (cosine, length) = (found.own.cosine.mean, found.own.length.mean);
    eprintln!("{what} {preset} own data: cosine {cosine:.3}, length {length:.2}");
    assert!(cosine >= goals.own_cosine, "{what} {preset}: cosine {cosine}");
    assert!((length - 1.0).abs() < goals.own_length, "{what} {preset}: length {length}");
}

/// Tries a preset with so many columns.
fn tried(graph: &Graph, labels: &Labels, preset: &str, columns: usize) -> NewNodesReport {
    let dimension = Dimension::Fixed(columns);
    let fit = FitParams { dimension, ..FitParams::preset(preset).unwrap() };
    let params = NewNodesParams { fit, shuffles: 2, ..NewNodesParams::default() };
    evaluate_new_nodes(graph, labels, &params, &NoObserver).unwrap()
}

#[test]
fn new_nodes_of_real_graphs_are_placed_as_well_as_by_fits_of_the_same_data() {
    for name in ["planetoid_cora", "wiki"] {
        let Some(graph) = dataset(name) else { continue };
        let labels = graph.labels().unwrap();
        for preset in ["auto", "paper", "balanced", "links"] {
            let found = tried(&graph, labels, preset, 128);
            assert_goals(name, preset, &found);
        }
    }
}

#[test]
fn new_nodes_of_a_planted_graph_are_placed_as_well_as_by_fits_of_the_same_data() {
    let planted = PlantedParams { nodes: 1500, ..PlantedParams::default() };
    let planted = PlantedGraph::new(planted).unwrap();
    let graph = Graph::new(Nodes::numbered(1500))
        .with_block(Block::links("links", planted.links(), false))
        .unwrap()
        .with_block(Block::attributes("attributes", planted.attributes()))
        .unwrap();
    for preset in ["auto", "paper", "balanced", "links"] {
        let found = tried(&graph, &planted.labels(), preset, 32);
        assert_goals("planted", preset, &found);
    }
}

#[test]
fn links_to_a_new_node_place_it_as_links_from_it_do() {
    // Two groups; all links lead from even nodes to odd ones of the group.
    let mut numbers = Random::new(4);
    let mut links = Vec::new();
    for _ in 0..3000 {
        let (i, j, group) = (numbers.below(50), numbers.below(50), numbers.below(2));
        links.push(((100 * group + 2 * i) as u32, (100 * group + 2 * j + 1) as u32, 1.0));
    }
    let links = SparseMatrix::from_triplets(200, 200, &links).unwrap();
    let words: Vec<(u32, u32, f64)> = (0..1000)
        .map(|_| {
            let node = numbers.below(200);
            (node as u32, (20 * (node / 100) + numbers.below(20)) as u32, 1.0)
        })
        .collect();
    let words = SparseMatrix::from_triplets(200, 40, &words).unwrap();
    let graph = Graph::new(Nodes::numbered(200))
        .with_block(Block::links("links", links, true))
        .unwrap()
        .with_block(Block::attributes("attributes", words))
        .unwrap();
    let params =
        FitParams { dimension: Dimension::Fixed(8), ..FitParams::preset("paper").unwrap() };
    let model = fitted(&graph, params);
    // The view is of out-links, so only the mean row of neighbours tells anything of in-links.
    let entries: Vec<(u32, u32, f64)> =
        (0..10).map(|at| (at / 5, 100 * (at / 5) + 4 * (at % 5), 1.0)).collect();
    let matrix = SparseMatrix::from_triplets(2, 200, &entries).unwrap().into();
    let block = NewBlock { name: "links".into(), direction: Direction::In, matrix, observed: None };
    let folded = model.fold_in(&NewNodes { count: 2, blocks: vec![block] }).unwrap();
    assert!(folded.unobserved.is_empty() && folded.without_table.is_empty());
    let rows = model.embedding(&Lambda::Preset).unwrap();
    let new = model.embed_new(&folded, &Lambda::Preset).unwrap();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for group in 0..2 {
        let row = new.row_f64(group);
        let with = |group: usize| -> f64 {
            (0..100).map(|node| dot(&row, &rows.row_f64(100 * group + node))).sum()
        };
        assert!(with(group) > with(1 - group), "new node {group}");
    }
}

/// A model of Debian packages without those that are new, and the split.
fn packages() -> (Split, Model) {
    let split = Split::of(debian());
    let params =
        FitParams { dimension: Dimension::Fixed(16), ..FitParams::preset("balanced").unwrap() };
    let model = fitted(&induced(&split.graph, &split.old), params);
    (split, model)
}

fn assert_rows(a: &FoldedIn, at: usize, b: &FoldedIn, other: usize) {
    assert_eq!(a.factors.row_f64(at), b.factors.row_f64(other));
}

#[test]
fn rows_depend_neither_on_order_nor_on_company_nor_on_the_file() {
    let (split, model) = packages();
    let again = Model::from_bytes(&model.to_bytes().unwrap(), Path::new("model")).unwrap();
    for blocks in BLOCKS {
        let whole = model.fold_in(&split.data(&split.new, blocks)).unwrap();
        let back: Vec<u32> = split.new.iter().rev().copied().collect();
        let turned = model.fold_in(&split.data(&back, blocks)).unwrap();
        let reread = again.fold_in(&split.data(&split.new, blocks)).unwrap();
        for at in 0..split.new.len() {
            assert_rows(&whole, at, &turned, split.new.len() - 1 - at);
            assert_rows(&whole, at, &reread, at);
        }
        let one = model.fold_in(&split.data(&split.new[3..4], blocks)).unwrap();
        assert_rows(&whole, 3, &one, 0);
    }
}

#[test]
fn rows_that_rest_on_little_are_said() {
    let (split, model) = packages();
    let mut data = split.data(&split.new[..2], &["attributes"]);
    let width = data.blocks[0].matrix.cols();
    // One word, and no word the model knows.
    let words = SparseMatrix::from_triplets(2, width, &[(0, 3, 1.0)]).unwrap();
    data.blocks[0].matrix = words.into();
    let folded = model.fold_in(&data).unwrap();
    assert_eq!(folded.few_entries, [(0, 1), (1, 0)]);
    let said = folded.warnings(|node| format!("n{node}")).join(" ");
    assert!(said.contains("2 new nodes rest on fewer than 2") && said.contains("`n0` with 1"));
    assert!((0..2).all(|row| folded.factors.row_f64(row).iter().all(|x| x.is_finite())));
    let full = model.fold_in(&split.data(&split.new, BLOCKS[2])).unwrap();
    assert!(full.few_entries.len() < split.new.len() / 2);
}
