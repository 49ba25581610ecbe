//! Graphs with hardly anything in them: no panic, no NaN, errors that say what is missing.

use gage_baselines::{Error, methods, named};
use gage_embed::{Block, DenseMatrix, Graph, NoObserver, Nodes, Observer, SparseMatrix};

use crate::neural::networks;
use crate::support::{QUICK, planted};

fn sparse(rows: usize, cols: usize, entries: &[(u32, u32, f64)]) -> SparseMatrix {
    SparseMatrix::from_triplets(rows, cols, entries).unwrap()
}

fn graph(nodes: usize, links: &[(u32, u32, f64)], words: &[(u32, u32, f64)]) -> Graph {
    Graph::new(Nodes::numbered(nodes))
        .with_block(Block::links("links", sparse(nodes, nodes, links), false))
        .unwrap()
        .with_block(Block::attributes("attributes", sparse(nodes, 3, words)))
        .unwrap()
}

const TEXT: [(u32, u32, f64); 3] = [(0, 0, 1.0), (1, 0, 1.0), (1, 2, 2.0)];
const PAIR: [(u32, u32, f64); 2] = [(0, 1, 1.0), (1, 0, 1.0)];

#[test]
fn little_data_gives_finite_numbers_or_a_clear_error() {
    let cases: Vec<(&str, Graph)> = vec![
        ("one node", graph(1, &[], &[(0, 1, 1.0)])),
        ("one node, self-loop", graph(1, &[(0, 0, 1.0)], &[(0, 1, 1.0)])),
        ("one bare node", graph(1, &[], &[])),
        ("no links", graph(4, &[], &TEXT)),
        ("no attributes", graph(4, &PAIR, &[])),
        ("nothing", graph(4, &[], &[])),
        ("one link", graph(4, &PAIR, &TEXT)),
        ("self-loops only", graph(3, &[(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)], &TEXT)),
        ("negative weights", graph(3, &[(0, 1, -2.0), (1, 0, -2.0)], &[(0, 0, -1.0), (2, 1, 3.0)])),
        (
            "opposite weights",
            graph(3, &[(0, 1, 1.0), (0, 2, -1.0), (1, 0, 1.0), (2, 0, -1.0)], &TEXT),
        ),
        ("tiny numbers", graph(3, &PAIR, &[(0, 0, 1e-200), (1, 1, 1e-200)])),
        ("huge numbers", graph(3, &PAIR, &[(0, 0, 1e200), (1, 1, 1e-200)])),
        ("large numbers", graph(3, &[(0, 1, 1e30), (1, 0, 1e30)], &[(0, 0, 1e30), (1, 1, 1.0)])),
        (
            "all alike",
            graph(
                3,
                &[(0, 1, 1.0), (1, 0, 1.0), (0, 2, 1.0), (2, 0, 1.0), (1, 2, 1.0), (2, 1, 1.0)],
                &[(0, 0, 1.0), (1, 0, 1.0), (2, 0, 1.0)],
            ),
        ),
    ];
    for (name, graph) in &cases {
        for method in QUICK {
            for dimension in [1, 2, 3, 9] {
                match named(method).unwrap().embed(graph, dimension, 3, &NoObserver) {
                    Ok(embedding) => {
                        assert_eq!(embedding.cols(), dimension, "{name}, {method}");
                        assert!(embedding.data().iter().all(|x| x.is_finite()), "{name}, {method}");
                    }
                    Err(error) => {
                        let large =
                            *name == "huge numbers" && matches!(error, Error::Magnitude { .. });
                        let fair = large || matches!(error, Error::NothingToEmbed { .. });
                        assert!(fair, "{name}, {method}, {dimension} columns: {error}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_a_method_needs_is_named() {
    let words = Graph::new(Nodes::numbered(2))
        .with_block(Block::attributes("attributes", sparse(2, 3, &TEXT)))
        .unwrap();
    let links = Graph::new(Nodes::numbered(2))
        .with_block(Block::links("links", sparse(2, 2, &PAIR), false))
        .unwrap();
    for method in methods() {
        let error = method.embed(&words, 2, 0, &NoObserver).err().unwrap();
        assert_eq!(error, Error::NeedsLinks { method: method.name() });
        let structure_only = method.name().starts_with("deepwalk");
        match method.embed(&links, 2, 0, &NoObserver) {
            Ok(_) => assert!(structure_only, "{}", method.name()),
            Err(error) => assert_eq!(error, Error::NeedsAttributes { method: method.name() }),
        }
        let none = Graph::new(Nodes::numbered(0));
        assert_eq!(method.embed(&none, 2, 0, &NoObserver).err(), Some(Error::NoNodes));
        assert_eq!(method.embed(&links, 0, 0, &NoObserver).err(), Some(Error::Dimension));
    }
}

#[test]
fn nodes_without_information_get_zeros() {
    let graph = graph(5, &PAIR, &TEXT);
    let quick = QUICK.iter().map(|name| named(name).unwrap());
    for method in quick.chain(networks()) {
        let embedding = method.embed(&graph, 4, 0, &NoObserver).unwrap();
        let method = method.name();
        for node in [2, 3, 4] {
            assert!(embedding.row(node).iter().all(|&x| x == 0.0), "{method}, node {node}");
        }
        assert!(embedding.row(0).iter().any(|&x| x != 0.0), "{method}");
    }
}

#[test]
fn missing_rows_and_entries_count_as_zeros() {
    let nan = f64::NAN;
    let dense = |values: Vec<f64>| DenseMatrix::from_f64(4, 2, values).unwrap();
    let with = |attributes: Block| {
        let links = [(0, 1, 1.0), (1, 0, 1.0), (2, 3, 1.0), (3, 2, 1.0)];
        Graph::new(Nodes::numbered(4))
            .with_block(Block::links("links", sparse(4, 4, &links), false))
            .unwrap()
            .with_block(attributes)
            .unwrap()
    };
    let holes =
        Block::attributes("attributes", dense(vec![1.0, nan, 2.0, 1.0, 7.0, 7.0, nan, 3.0]))
            .observing(vec![true, true, false, true]);
    let zeros =
        Block::attributes("attributes", dense(vec![1.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 3.0]));
    let entries = [(0, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0), (3, 1, 3.0)];
    let stored = Block::attributes("attributes", sparse(4, 2, &entries));
    let (holes, zeros, stored) = (with(holes), with(zeros), with(stored));
    for method in QUICK {
        let run = |graph: &Graph| named(method).unwrap().embed(graph, 3, 0, &NoObserver).unwrap();
        let truth = run(&zeros);
        assert_eq!(run(&holes).data(), truth.data(), "{method}");
        let largest = truth.data().iter().fold(0.0f32, |top, x| top.max(x.abs()));
        for (a, b) in run(&stored).data().iter().zip(truth.data()) {
            assert!((a - b).abs() < 1e-3 * largest, "{method}: sparse and dense attributes differ");
        }
    }
}

struct Stop;

impl Observer for Stop {
    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn the_observer_can_stop_every_method() {
    let graph = planted(1100, 3);
    for method in methods() {
        let outcome = method.embed(&graph, 8, 0, &Stop);
        assert_eq!(outcome.err(), Some(Error::Cancelled), "{}", method.name());
    }
}
