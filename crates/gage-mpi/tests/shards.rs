//! Shards give back what was written, by any range of parts.

use gage_core::graph::{Block, Graph, Matrix, Nodes};
use gage_io::{Shards, write_shards};
use gage_linalg::{DenseMatrix, SparseMatrix};

/// Named nodes, symmetric and directed links with values of all kinds, a dense table with gaps, and
/// a mask.
fn graph() -> Graph {
    let nodes = 40u32;
    let names = (0..nodes).map(|node| format!("node {node} – ü"));
    let ring: Vec<(u32, u32, f64)> =
        (0..nodes).flat_map(|i| [(i, (i + 1) % nodes, 1.0), ((i + 1) % nodes, i, 1.0)]).collect();
    let arrows: Vec<(u32, u32, f64)> =
        (0..nodes).map(|i| (i, i * i % nodes, if i < 30 { 0.5 } else { 1.0 / 3.0 })).collect();
    let links = |entries: &[(u32, u32, f64)]| {
        SparseMatrix::from_triplets(nodes as usize, nodes as usize, entries).unwrap()
    };
    let table = (0..80).map(|i| if i % 9 == 0 { f64::NAN } else { f64::from(i) / 7.0 }).collect();
    let seen = (0..nodes).map(|node| node % 5 != 1).collect();
    Graph::new(Nodes::named(names).unwrap())
        .with_block(Block::links("links", links(&ring), false))
        .unwrap()
        .with_block(Block::links("arrows", links(&arrows), true))
        .unwrap()
        .with_block(Block::attributes("table", DenseMatrix::from_f64(40, 2, table).unwrap()))
        .unwrap()
        .with_block(Block::attributes("words", links(&arrows)).observing(seen))
        .unwrap()
}

fn same(a: &Graph, b: &Graph) {
    assert_eq!(a.nodes(), b.nodes());
    assert_eq!(a.blocks().len(), b.blocks().len());
    for (a, b) in a.blocks().iter().zip(b.blocks()) {
        assert_eq!((&a.name, a.kind, &a.observed), (&b.name, b.kind, &b.observed));
        match (&a.matrix, &b.matrix) {
            (Matrix::Sparse(a), Matrix::Sparse(b)) => {
                let rows = |matrix: &SparseMatrix| -> Vec<Vec<(u32, f64)>> {
                    (0..matrix.rows()).map(|row| matrix.row(row).collect()).collect()
                };
                assert_eq!((rows(a), a.cols()), (rows(b), b.cols()));
                assert_eq!(a.known_symmetry(), b.known_symmetry());
            }
            (Matrix::Dense(a), Matrix::Dense(b)) => {
                for (row, col) in (0..a.rows()).flat_map(|row| [(row, 0), (row, 1)]) {
                    assert_eq!(a.get(row, col).to_bits(), b.get(row, col).to_bits());
                }
            }
            _ => panic!("blocks of two kinds"),
        }
    }
}

#[test]
fn any_run_of_parts_is_the_part_of_the_graph() {
    let graph = graph();
    for parts in [1, 3, 7, 40] {
        let folder = tempfile::tempdir().unwrap();
        let written = write_shards(&graph, folder.path(), parts).unwrap();
        let shards = Shards::open(folder.path()).unwrap();
        assert!(Shards::is_at(folder.path()) && *shards.manifest() == written);
        assert_eq!(written.parts.len(), parts);
        for run in [0..parts, parts / 2..parts, 0..1] {
            let nodes = written.nodes_of(&run);
            same(&shards.read(run).unwrap(), &graph.part(nodes).unwrap());
        }
    }
}

#[test]
fn a_folder_in_use_is_refused_and_every_changed_byte_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    write_shards(&graph(), folder.path(), 2).unwrap();
    assert!(write_shards(&graph(), folder.path(), 2).is_err());
    let shards = Shards::open(folder.path()).unwrap();
    for file in std::fs::read_dir(folder.path().join("part-00001")).unwrap() {
        let path = file.unwrap().path();
        let good = std::fs::read(&path).unwrap();
        for at in (0..good.len()).step_by(13) {
            let mut bad = good.clone();
            bad[at] ^= 4;
            std::fs::write(&path, &bad).unwrap();
            let error = shards.read(0..2).unwrap_err();
            assert!(error.to_string().contains("another hash"), "{error}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(shards.read(0..2).is_err() && shards.read(0..1).is_ok());
        std::fs::write(&path, &good).unwrap();
    }
    assert!(shards.read(0..2).is_ok());
}
