//! Embeddings whose rows all have one length.

use crate::common::*;
use gage_embed::graph::{BlockKind, Mask};
use gage_embed::model::{NewBlock, NewNodes};
use gage_embed::views::{Direction, EmbeddingScale};
use gage_embed::*;

/// The embedded sample with one more node, of which nothing is known.
fn with_an_empty_node() -> Graph {
    let whole = debian();
    let nodes = whole.nodes().len();
    let mut graph = Graph::new(Nodes::numbered(nodes + 1));
    for block in whole.blocks() {
        let Matrix::Sparse(matrix) = &block.matrix else { panic!("sparse expected") };
        let links = matches!(block.kind, BlockKind::Links { .. });
        let columns = matrix.cols() + usize::from(links);
        let entries: Vec<(u32, u32, f64)> = (0..nodes)
            .flat_map(|row| matrix.row(row).map(move |(col, value)| (row as u32, col, value)))
            .collect();
        let matrix = SparseMatrix::from_triplets(nodes + 1, columns, &entries).unwrap();
        let observed = Some(Mask::new((0..=nodes).map(|node| node < nodes).collect()));
        let block = Block { matrix: matrix.into(), observed, ..block.clone() };
        graph = graph.with_block(block).unwrap();
    }
    graph
}

fn params(scale: EmbeddingScale) -> FitParams {
    let mut params =
        FitParams { dimension: Dimension::Fixed(12), ..FitParams::preset("balanced").unwrap() };
    params.preset.scale = scale;
    params
}

fn length(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[test]
fn rows_have_one_length_at_any_lambda_and_keep_their_direction() {
    let graph = with_an_empty_node();
    let model = fitted(&graph, params(EmbeddingScale::Rows(0.25)));
    let plain = fitted(&graph, params(EmbeddingScale::Distances));
    assert_eq!(difference(model.factors(), plain.factors()), 0.0, "the fit is the same");
    let wanted = (0.25f64 * 12.0).sqrt();
    let mut zeros = 0;
    for lambda in [Lambda::Preset, Lambda::Links(0.0), Lambda::Links(0.7), Lambda::Links(1.0)] {
        let (rows, before) = (model.embedding(&lambda).unwrap(), plain.embedding(&lambda).unwrap());
        for row in 0..rows.rows() {
            let (row, before) = (rows.row_f64(row), before.row_f64(row));
            if length(&before) == 0.0 {
                assert!(row.iter().all(|&x| x == 0.0), "rows of zeros stay");
                zeros += 1;
                continue;
            }
            assert!((length(&row) / wanted - 1.0).abs() < 1e-6, "{}", length(&row));
            let factor = wanted / length(&before);
            let apart = row.iter().zip(&before).map(|(x, y)| (x - y * factor).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-5 * wanted);
        }
        let (_, owned) = model.clone().into_embedding(&lambda).unwrap();
        assert_eq!(difference(&owned, &rows), 0.0);
    }
    assert!(zeros >= 4, "the empty node at every lambda");
}

#[test]
fn the_length_survives_the_file_and_holds_for_new_nodes() {
    let graph = with_an_empty_node();
    let model = fitted(&graph, params(EmbeddingScale::Rows(0.25)));
    let file = std::env::temp_dir().join(format!("gage-rows-{}.gage", std::process::id()));
    model.save(&file).unwrap();
    let loaded = Model::load(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(loaded.params().preset.scale, EmbeddingScale::Rows(0.25));
    let rows = loaded.embedding(&Lambda::Preset).unwrap();
    assert_eq!(difference(&rows, &model.embedding(&Lambda::Preset).unwrap()), 0.0);
    // The fitted nodes given as new ones, and one of which nothing is known.
    let blocks = graph.blocks().iter().map(|block| NewBlock {
        name: block.name.clone(),
        direction: Direction::Out,
        matrix: block.matrix.clone(),
        observed: None,
    });
    let new = NewNodes { count: graph.nodes().len(), blocks: blocks.collect() };
    let folded = loaded.fold_in(&new).unwrap();
    let rows = loaded.embed_new(&folded, &Lambda::Links(0.4)).unwrap();
    let wanted = (0.25f64 * 12.0).sqrt();
    let lengths: Vec<f64> = (0..rows.rows()).map(|row| length(&rows.row_f64(row))).collect();
    assert!(lengths.iter().all(|&l| l == 0.0 || (l / wanted - 1.0).abs() < 1e-6));
    assert!(lengths.iter().filter(|&&l| l > 0.0).count() > lengths.len() / 2);
}

#[test]
fn a_length_has_to_be_a_positive_number() {
    for mean in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(params(EmbeddingScale::Rows(mean)).check().is_err(), "{mean}");
    }
}

#[test]
fn certificates_speak_of_the_rows_before() {
    let graph = debian();
    let certify = |scale| {
        let certificate = Some(CertificateParams::default());
        let model = fitted(&graph, FitParams { certificate, ..params(scale) });
        model.certificate().unwrap().clone()
    };
    assert_eq!(certify(EmbeddingScale::Rows(1.0)), certify(EmbeddingScale::Distances));
}
