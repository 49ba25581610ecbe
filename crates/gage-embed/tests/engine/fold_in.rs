//! New nodes without a new fit.

use crate::common::*;
use gage_embed::graph::{BlockKind, Mask};
use gage_embed::model::{NewBlock, NewNodes};
use gage_embed::views::{Direction, EmbeddingScale};
use gage_embed::*;

/// Rows `take` of the graph, with links only among them.
pub fn induced(graph: &Graph, take: &[u32]) -> Graph {
    let mut place = vec![u32::MAX; graph.nodes().len()];
    take.iter().enumerate().for_each(|(at, &node)| place[node as usize] = at as u32);
    let mut out = Graph::new(Nodes::numbered(take.len()));
    for block in graph.blocks() {
        let matrix = rows_of(block, take, &place, take.len());
        out = out.with_block(Block { matrix, ..block.clone() }).unwrap();
    }
    out
}

/// Rows `take` of one block; links keep only the ends that have a place.
pub fn rows_of(block: &Block, take: &[u32], place: &[u32], places: usize) -> Matrix {
    let Matrix::Sparse(sparse) = &block.matrix else { panic!("sparse expected") };
    let is_links = matches!(block.kind, BlockKind::Links { .. });
    let mut entries = Vec::new();
    for (at, &node) in take.iter().enumerate() {
        for (col, value) in sparse.row(node as usize) {
            let col = if is_links { place[col as usize] } else { col };
            if col != u32::MAX {
                entries.push((at as u32, col, value));
            }
        }
    }
    let cols = if is_links { places } else { sparse.cols() };
    SparseMatrix::from_triplets(take.len(), cols, &entries).unwrap().into()
}

pub fn labels_of(labels: &Labels, take: &[u32]) -> Labels {
    let lists = take.iter().map(|&node| labels.of(node as usize).to_vec());
    Labels::from_lists(labels.class_names().to_vec(), lists)
}

#[test]
fn held_out_nodes_are_classified_almost_as_well_as_fitted_ones() {
    for name in ["wiki", "planetoid_cora", "blogcatalog"] {
        let Some(graph) = dataset(name) else { continue };
        let labels = graph.labels().unwrap();
        let n = graph.nodes().len() as u32;
        let mut numbers = Random::new(10);
        let (new, old): (Vec<u32>, Vec<u32>) = (0..n).partition(|_| numbers.symmetric() < -0.6);
        let mut place = vec![u32::MAX; n as usize];
        old.iter().enumerate().for_each(|(at, &node)| place[node as usize] = at as u32);
        for preset in ["paper", "balanced"] {
            let mut params =
                FitParams { dimension: Dimension::Fixed(64), ..FitParams::preset(preset).unwrap() };
            params.preset.scale = EmbeddingScale::Unit;
            let together = fitted(&graph, params.clone()).embedding(&Lambda::Preset).unwrap();
            let whole = accuracy(&together, labels, &old, &together, labels, &new);
            let model = fitted(&induced(&graph, &old), params);
            let blocks = graph.blocks().iter().map(|block| NewBlock {
                name: block.name.clone(),
                direction: Direction::Out,
                matrix: rows_of(block, &new, &place, old.len()),
                observed: None,
            });
            let added = NewNodes { count: new.len(), blocks: blocks.collect() };
            let folded = model.fold_in(&added).unwrap();
            assert!(folded.unobserved.is_empty());
            let old_rows: Vec<u32> = (0..old.len() as u32).collect();
            let new_rows: Vec<u32> = (0..new.len() as u32).collect();
            let part = accuracy(
                &model.embedding(&Lambda::Preset).unwrap(),
                &labels_of(labels, &old),
                &old_rows,
                &model.embed_new(&folded, &Lambda::Preset).unwrap(),
                &labels_of(labels, &new),
                &new_rows,
            );
            eprintln!("{name} {preset}: together {whole:.3}, folded in {part:.3}");
            assert!(part >= whole - 0.03, "{name} {preset}: together {whole}, folded in {part}");
            // Batches of any size give the same rows.
            let first = NewNodes {
                count: 3,
                blocks: graph
                    .blocks()
                    .iter()
                    .map(|block| NewBlock {
                        name: block.name.clone(),
                        direction: Direction::Out,
                        matrix: rows_of(block, &new[..3], &place, old.len()),
                        observed: None,
                    })
                    .collect(),
            };
            let few = model.fold_in(&first).unwrap();
            for row in 0..3 {
                assert_eq!(few.factors.row_f64(row), folded.factors.row_f64(row));
            }
        }
    }
}

#[test]
fn exact_data_is_folded_in_exactly_from_any_views() {
    let nodes = 300;
    let planted = planted(nodes, 5, 2, 14);
    let old: Vec<faer::Mat<f64>> =
        planted.views.iter().map(|y| y.subrows(0, 250).to_owned()).collect();
    let model = fitted(&graph_of(&old, None), params(5));
    let block = |k: usize, observed: Vec<bool>| NewBlock {
        name: format!("view{k}"),
        direction: Direction::Out,
        matrix: dense(&planted.views[k].subrows(250, 50).to_owned()).into(),
        observed: Some(Mask::new(observed)),
    };
    // A third has both views, a third only the first, a third only the second.
    let new = NewNodes {
        count: 50,
        blocks: vec![
            block(0, (0..50).map(|i| i % 3 != 2).collect()),
            block(1, (0..50).map(|i| i % 3 != 1).collect()),
        ],
    };
    let folded = model.fold_in(&new).unwrap();
    for k in 0..2 {
        let view = &model.views()[k];
        for i in 0..50 {
            for j in [0usize, 100, 249] {
                let (a, b) = (folded.factors.row_f64(i), model.factors().row_f64(j));
                let model_d: f64 =
                    (0..5).map(|f| view.coefficients[f] * (a[f] - b[f]).powi(2)).sum();
                let truth = true_distance(&planted.views[k], 250 + i, j);
                assert!(
                    (model_d - truth).abs() < 1e-6 * (1.0 + truth),
                    "{k} {i} {j}: {model_d} {truth}"
                );
            }
        }
    }
}

#[test]
fn new_nodes_that_do_not_fit_are_refused_and_unobserved_ones_flagged() {
    let planted = planted(100, 3, 2, 15);
    let model = fitted(&graph_of(&planted.views, None), params(3));
    let block = |name: &str, rows: usize, cols: usize| NewBlock {
        name: name.to_owned(),
        direction: Direction::Out,
        matrix: DenseMatrix::from_f64(rows, cols, vec![0.5; rows * cols]).unwrap().into(),
        observed: None,
    };
    let fold = |count, blocks| model.fold_in(&NewNodes { count, blocks });
    assert!(fold(2, vec![block("view0", 3, 8)]).unwrap_err().to_string().contains("3 rows for 2"));
    assert!(fold(2, vec![block("view0", 2, 7)]).unwrap_err().to_string().contains("7 columns"));
    // A block the model does not know says nothing about the nodes.
    assert_eq!(fold(2, vec![block("other", 2, 7)]).unwrap().unobserved, [0, 1]);
    assert_eq!(fold(0, vec![]).unwrap().factors.rows(), 0);
    let bare = fitted(&graph_of(&planted.views, None), FitParams { loadings: false, ..params(3) });
    assert_eq!(bare.fold_in(&NewNodes::default()).err(), Some(Error::NoLoadings));
}
