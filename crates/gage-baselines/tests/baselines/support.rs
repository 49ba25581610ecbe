//! Small graphs, real data sets, and scores.

use gage_baselines::named;
use gage_embed::eval::{ClassifyParams, TrainSize, classify};
use gage_embed::io::{DatasetSpec, load};
use gage_embed::{Block, Graph, Labels, NoObserver, Nodes, SparseMatrix, Tall};
use gage_linalg::random::Stream;

/// Names of all methods that run in seconds.
pub const QUICK: [&str; 6] = ["svd", "ssgc", "pane", "tadw", "tpine", "deepwalk"];

/// A shared data set, if it is there.
pub fn dataset(name: &str) -> Option<Graph> {
    let path = gage_testing::dataset(name)?;
    Some(load(&DatasetSpec::at(path)).unwrap().graph)
}

/// A method's embedding.
pub fn embedding(method: &str, graph: &Graph, dimension: usize) -> Tall<f32> {
    named(method).unwrap().embed(graph, dimension, 0, &NoObserver).unwrap()
}

/// Mean micro-F1 with half of the labelled nodes for training.
pub fn micro_f1(embedding: &Tall<f32>, labels: &Labels, shuffles: usize) -> f64 {
    let params =
        ClassifyParams { train: vec![TrainSize::Share(0.5)], shuffles, ..Default::default() };
    classify(embedding, labels, &params).unwrap().results[0].micro_f1.mean
}

/// A graph of `nodes` nodes in `classes` equal groups: links and words both follow the groups, with
/// noise.
pub fn planted(nodes: usize, classes: usize) -> Graph {
    let mut stream = Stream::new(17);
    let mut links = Vec::new();
    for i in 0..nodes {
        for j in 0..i {
            let chance = if i % classes == j % classes { 12 } else { 1 };
            if stream.below(100) < chance {
                links.push((i as u32, j as u32, 1.0));
                links.push((j as u32, i as u32, 1.0));
            }
        }
    }
    let words = 20 * classes;
    let mut text = Vec::new();
    for i in 0..nodes {
        for word in 0..words {
            let chance = if word % classes == i % classes { 25 } else { 5 };
            if stream.below(100) < chance {
                text.push((i as u32, word as u32, 1.0));
            }
        }
    }
    let labels: Vec<i64> = (0..nodes).map(|node| (node % classes) as i64).collect();
    Graph::new(Nodes::numbered(nodes))
        .with_block(Block::links(
            "links",
            SparseMatrix::from_triplets(nodes, nodes, &links).unwrap(),
            false,
        ))
        .unwrap()
        .with_block(Block::attributes(
            "attributes",
            SparseMatrix::from_triplets(nodes, words, &text).unwrap(),
        ))
        .unwrap()
        .with_labels(Labels::from_numbers(&labels))
        .unwrap()
}
