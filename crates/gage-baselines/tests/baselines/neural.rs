//! Networks, with little training: planted groups, bits, and graphs with hardly anything in them.

use gage_baselines::{Age, Dane, Dgi, Error, GraphAutoencoder, Method};
use gage_embed::{Block, Graph, NoObserver, Nodes, SparseMatrix};
use gage_testing::with_threads;

use crate::support::{micro_f1, planted};

/// Every network with so many epochs that planted groups are found, and no more.
pub fn networks() -> Vec<Box<dyn Method>> {
    let pairs = Age { epochs: 60, similar: (0.03, 0.02), ..Age::default() };
    vec![
        Box::new(GraphAutoencoder { epochs: 60, ..GraphAutoencoder::plain() }),
        Box::new(GraphAutoencoder { epochs: 60, ..GraphAutoencoder::variational() }),
        Box::new(Dgi { epochs: 200, ..Dgi::default() }),
        Box::new(pairs),
        Box::new(Dane { pretraining: 20, epochs: 5, ..Dane::default() }),
    ]
}

#[test]
fn networks_separate_planted_groups() {
    let graph = planted(240, 4);
    let labels = graph.labels().unwrap();
    // Walks of 80 nodes meet every node of so small a graph, so DANE has nothing to go by here.
    for method in networks().into_iter().filter(|method| method.name() != "dane") {
        let embedding = method.embed(&graph, 16, 0, &NoObserver).unwrap();
        let score = micro_f1(&embedding, labels, 4);
        assert!(score > 0.85, "{}: {score}, where chance is 0.25", method.name());
    }
}

#[test]
fn threads_do_not_change_a_bit_of_a_network() {
    let graph = planted(600, 4);
    let short: [Box<dyn Method>; 5] = [
        Box::new(GraphAutoencoder { epochs: 3, ..GraphAutoencoder::plain() }),
        Box::new(GraphAutoencoder { epochs: 3, ..GraphAutoencoder::variational() }),
        Box::new(Dgi { epochs: 3, ..Dgi::default() }),
        Box::new(Age { epochs: 3, renew: 2, ..Age::default() }),
        Box::new(Dane { pretraining: 3, epochs: 2, ..Dane::default() }),
    ];
    for method in &short {
        let bits = |threads| {
            let run = || method.embed(&graph, 12, 5, &NoObserver).unwrap();
            let embedding = with_threads(threads, run);
            embedding.data().iter().map(|x| x.to_bits()).collect::<Vec<u32>>()
        };
        let name = method.name();
        assert!(bits(1) == bits(2), "{name}: one and two threads differ");
        let other = method.embed(&graph, 12, 6, &NoObserver).unwrap();
        assert!(
            other.data().iter().map(|x| x.to_bits()).ne(bits(2)),
            "{name}: the seed is ignored"
        );
    }
}

#[test]
fn little_data_gives_finite_numbers_or_a_clear_error() {
    let graph = |nodes: usize, links: &[(u32, u32, f64)], words: &[(u32, u32, f64)]| {
        let links = SparseMatrix::from_triplets(nodes, nodes, links).unwrap();
        let words = SparseMatrix::from_triplets(nodes, 3, words).unwrap();
        Graph::new(Nodes::numbered(nodes))
            .with_block(Block::links("links", links, false))
            .and_then(|graph| graph.with_block(Block::attributes("attributes", words)))
            .unwrap()
    };
    let pair = [(0, 1, 1.0), (1, 0, 1.0)];
    let text = [(0, 0, 1.0), (1, 0, 1.0), (1, 2, 2.0)];
    let cases = [
        ("one node", graph(1, &[], &[(0, 1, 1.0)])),
        ("no links", graph(4, &[], &text)),
        ("no attributes", graph(4, &pair, &[])),
        ("nothing", graph(4, &[], &[])),
        ("one link", graph(4, &pair, &text)),
        ("loops only", graph(3, &[(0, 0, 1.0), (1, 1, 1.0)], &text)),
        ("tiny numbers", graph(3, &pair, &[(0, 0, 1e-200), (1, 1, 1e-200)])),
        ("large numbers", graph(3, &pair, &[(0, 0, 1e30), (1, 1, 1.0)])),
    ];
    for (name, graph) in &cases {
        for method in networks() {
            for dimension in [1, 5] {
                match method.embed(graph, dimension, 3, &NoObserver) {
                    Ok(embedding) => {
                        assert_eq!(embedding.cols(), dimension);
                        assert!(embedding.data().iter().all(|x| x.is_finite()), "{name}");
                    }
                    // Numbers of this size overflow where attributes are taken as they are.
                    Err(Error::NotFinite { .. }) => assert_eq!(*name, "large numbers"),
                    Err(Error::NothingToEmbed { .. }) => {}
                    Err(error) => panic!("{name}, {}: {error}", method.name()),
                }
            }
        }
    }
}

#[test]
fn impossible_parameters_are_errors() {
    let graph = planted(60, 2);
    let wrong: [Box<dyn Method>; 6] = [
        Box::new(GraphAutoencoder { epochs: 0, ..GraphAutoencoder::plain() }),
        Box::new(GraphAutoencoder { validation: 1.0, ..GraphAutoencoder::plain() }),
        Box::new(GraphAutoencoder { hidden_ratio: 0, ..GraphAutoencoder::plain() }),
        Box::new(Dgi { epochs: 0, ..Dgi::default() }),
        Box::new(Age { similar: (0.0, 0.1), ..Age::default() }),
        Box::new(Dane { epochs: 0, ..Dane::default() }),
    ];
    for method in wrong {
        let error = method.embed(&graph, 4, 0, &NoObserver).err();
        assert!(matches!(error, Some(Error::Parameter { .. })), "{}: {error:?}", method.name());
    }
}
