//! Agreement with a plain, dense version of every description in NumPy, on the same graph from the
//! same start.

use std::path::Path;

use gage_baselines::{ConcatenatedSvd, Method, Pane, Ssgc, TPine, Tadw, TadwText};
use gage_embed::{Block, Graph, Matrix, NoObserver, Nodes, SparseMatrix, Tall};
use gage_linalg::random::{Stream, fill_normal};
use gage_testing::Python;

use crate::support::dataset;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/baselines/recipes.py");

fn write(folder: &Path, name: &str, values: &[f64]) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    std::fs::write(folder.join(name), bytes).unwrap();
}

fn to_dense(graph: &Graph, block: &str) -> (usize, Vec<f64>) {
    let Matrix::Sparse(matrix) = &graph.block(block).unwrap().matrix else { panic!("sparse") };
    let mut values = vec![0.0; matrix.rows() * matrix.cols()];
    for row in 0..matrix.rows() {
        matrix.row(row).for_each(|(col, value)| values[row * matrix.cols() + col as usize] = value);
    }
    (matrix.cols(), values)
}

/// What NumPy makes of the graph.
fn expected(
    python: &Python,
    method: &str,
    graph: &Graph,
    dimension: usize,
    start: &[f64],
) -> Vec<f64> {
    let folder = tempfile::tempdir().unwrap();
    let nodes = graph.nodes().len();
    let (columns, attributes) = to_dense(graph, "attributes");
    write(folder.path(), "links.bin", &to_dense(graph, "links").1);
    write(folder.path(), "attributes.bin", &attributes);
    write(folder.path(), "start.bin", start);
    let sizes = [nodes, columns, dimension].map(|size| size.to_string());
    let args = [&[SCRIPT.to_owned(), method.to_owned()][..], &sizes].concat();
    python.run(folder.path(), &args);
    let bytes = std::fs::read(folder.path().join("embedding.bin")).unwrap();
    bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().unwrap())).collect()
}

/// Compares inner products of all pairs of rows, which do not depend on signs and turns of the
/// columns.
fn assert_same_geometry(what: &str, ours: &Tall<f32>, theirs: &[f64], tolerance: f64) {
    let (n, f) = (ours.rows(), ours.cols());
    assert_eq!(theirs.len(), n * f, "{what}");
    let (mut worst, mut largest) = (0.0f64, 0.0f64);
    for i in 0..n {
        for j in 0..=i {
            let mine: f64 =
                ours.row(i).iter().zip(ours.row(j)).map(|(a, b)| f64::from(a * b)).sum();
            let rows = (&theirs[i * f..(i + 1) * f], &theirs[j * f..(j + 1) * f]);
            let truth: f64 = rows.0.iter().zip(rows.1).map(|(a, b)| a * b).sum();
            worst = worst.max((mine - truth).abs());
            largest = largest.max(truth.abs());
        }
    }
    assert!(
        worst < tolerance * largest,
        "{what}: off by {worst:e} where the largest is {largest:e}"
    );
}

/// 150 nodes, links in three loose groups, one node without links and one without attributes; no
/// ties anywhere.
fn random_graph(weighted: bool) -> Graph {
    let (nodes, words) = (150u32, 40u32);
    let mut stream = Stream::new(5);
    let weight =
        |stream: &mut Stream| if weighted { 0.5 + stream.below(1000) as f64 / 1000.0 } else { 1.0 };
    let (mut links, mut text) = (Vec::new(), Vec::new());
    for i in 1..nodes {
        for j in 1..i {
            if stream.below(100) < if i % 3 == j % 3 { 15 } else { 3 } {
                let value = weight(&mut stream);
                links.extend([(i, j, value), (j, i, value)]);
            }
        }
    }
    for i in (0..nodes).filter(|&i| i != 1) {
        for word in 0..words {
            if stream.below(100) < if i % 3 == word % 3 { 40 } else { 15 } {
                text.push((i, word, 0.5 + stream.below(1_000_000) as f64 / 1e6));
            }
        }
    }
    let n = nodes as usize;
    Graph::new(Nodes::numbered(n))
        .with_block(Block::links(
            "links",
            SparseMatrix::from_triplets(n, n, &links).unwrap(),
            false,
        ))
        .unwrap()
        .with_block(Block::attributes(
            "attributes",
            SparseMatrix::from_triplets(n, words as usize, &text).unwrap(),
        ))
        .unwrap()
}

#[test]
fn descriptions_and_methods_agree_on_random_graphs() {
    let Some(python) = Python::with("numpy") else { return };
    for weighted in [false, true] {
        let graph = random_graph(weighted);
        let dimension = 12;
        let compare = |name: &str, method: &dyn Method, start: &[f64], tolerance: f64| {
            let ours = method.embed(&graph, dimension, 3, &NoObserver).unwrap();
            let theirs = expected(&python, name, &graph, dimension, start);
            assert_same_geometry(name, &ours, &theirs, tolerance);
        };
        compare("svd", &ConcatenatedSvd, &[], 1e-5);
        compare("ssgc", &Ssgc::default(), &[], 1e-5);
        compare("pane", &Pane::default(), &[], 1e-4);
        let mut start = vec![0.0; dimension / 2 * 40];
        fill_normal(3, Tadw::START, &mut start);
        compare("tadw", &Tadw::default(), &start, 1e-4);
        let original = Tadw { text: TadwText::Original, ..Tadw::default() };
        compare("tadw-original", &original, &start, 1e-4);
        let mut start = vec![0.0; 150 * dimension];
        for (row, out) in start.chunks_mut(dimension).enumerate() {
            fill_normal(3, row as u64, out);
        }
        compare("tpine", &TPine { sweeps: 4, tolerance: 0.0, ..TPine::default() }, &start, 1e-4);
    }
}

#[test]
fn descriptions_and_methods_agree_on_webkb() {
    let (Some(python), Some(graph)) = (Python::with("numpy"), dataset("webkb")) else { return };
    let dimension = 32;
    let compare = |name: &str, method: &dyn Method, start: &[f64]| {
        let ours = method.embed(&graph, dimension, 0, &NoObserver).unwrap();
        let theirs = expected(&python, name, &graph, dimension, start);
        assert_same_geometry(name, &ours, &theirs, 1e-3);
    };
    compare("ssgc", &Ssgc::default(), &[]);
    compare("pane", &Pane::default(), &[]);
    let mut start = vec![0.0; dimension / 2 * 200];
    fill_normal(0, Tadw::START, &mut start);
    compare("tadw", &Tadw::default(), &start);
    compare("tadw-original", &Tadw { text: TadwText::Original, ..Tadw::default() }, &start);
}
