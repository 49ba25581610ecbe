//! Files put together: whose row is whose.

use gage_embed::Hint;
use gage_embed::graph::{ATTRIBUTES, BlockKind, Graph, LINKS, Matrix};
use gage_embed::io::{Dataset, DatasetSpec, Directed, Note, load};
use tempfile::TempDir;

use crate::support::{csr, f64s, i64s, mat, npy, write};

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().expect("temporary folder");
    std::fs::create_dir(folder.path().join("views")).expect("folder");
    for (name, content) in files {
        write(folder.path(), name, content);
    }
    folder
}

fn read(files: &[(&str, &[u8])]) -> Dataset {
    let folder = folder(files);
    load(&DatasetSpec::at(folder.path())).unwrap_or_else(|error| panic!("{error}"))
}

fn missing(graph: &Graph, block: &str) -> Vec<String> {
    let Some(mask) = &graph.block(block).expect("block").observed else { return Vec::new() };
    (0..mask.len())
        .filter(|&node| !mask.contains(node))
        .map(|node| graph.nodes().id(node))
        .collect()
}

#[test]
fn edges_and_table_are_joined_by_id() {
    let dataset = read(&[
        ("edges.csv", b"source,target\nx,b\nb,a\n"),
        ("attributes.csv", b"id,age\na,1\nlonely,2\nb,3\n"),
        ("labels.csv", b"id,label\nx,old\na,new\nb,old\n"),
    ]);
    let graph = dataset.graph;
    let ids: Vec<String> = graph.nodes().ids().collect();
    assert_eq!(ids, ["a", "lonely", "b", "x"], "table first, then first appearance");
    assert_eq!(missing(&graph, LINKS), ["lonely"]);
    assert_eq!(missing(&graph, ATTRIBUTES), ["x"]);
    let Matrix::Sparse(links) = &graph.block(LINKS).expect("links").matrix else {
        panic!("sparse")
    };
    assert_eq!(links.row(3).collect::<Vec<_>>(), [(2, 1.0)]);
    assert_eq!(links.row(2).collect::<Vec<_>>(), [(0, 1.0), (3, 1.0)]);
    assert_eq!(graph.block(LINKS).expect("links").kind, BlockKind::Links { directed: false });
    let labels = graph.labels().expect("labels");
    assert_eq!((labels.of(0), labels.of(1), labels.of(3)), (&[0][..], &[][..], &[1][..]));
    assert_eq!(dataset.info.iter().filter(|note| note.text.contains("missing")).count(), 2);
}

#[test]
fn a_nodes_table_with_columns_is_the_attribute_table() {
    let graph =
        read(&[("nodes.csv", b"id,age\nb,1\na,2\n"), ("edges.csv", b"source,target\na,b\n")]).graph;
    assert_eq!(graph.nodes().ids().collect::<Vec<_>>(), ["b", "a"]);
    assert!(graph.block(ATTRIBUTES).is_some());
}

#[test]
fn numbers_in_edges_are_rows_of_a_matrix() {
    let features = npy("<f8", "(4, 1)", &f64s(&[1.0, 2.0, 3.0, 4.0]));
    let graph = read(&[("edges.txt", b"3 1\n1 0\n"), ("features.npy", &features)]).graph;
    assert_eq!(graph.nodes().len(), 4);
    assert!(!graph.nodes().is_named());
    let Matrix::Sparse(links) = &graph.block(LINKS).expect("links").matrix else {
        panic!("sparse")
    };
    assert_eq!(links.row(3).collect::<Vec<_>>(), [(1, 1.0)]);
    assert_eq!(missing(&graph, LINKS), ["2"]);
    let pairs = npy("<i8", "(2, 2)", &i64s(&[0, 1, 1, 0]));
    let graph = read(&[("adj.npy", &pairs)]).graph;
    assert_eq!(graph.nodes().len(), 2, "a square array is a matrix");
    let pairs = npy("<i8", "(3, 2)", &i64s(&[3, 1, 1, 0, 1, 0]));
    let graph = read(&[("edges.npy", &pairs), ("features.npy", &features)]).graph;
    let Matrix::Sparse(links) = &graph.block(LINKS).expect("links").matrix else {
        panic!("sparse")
    };
    assert_eq!(links.row(1).collect::<Vec<_>>(), [(0, 2.0), (3, 1.0)]);
}

#[test]
fn numbers_in_edges_are_positions_among_names() {
    let dataset = read(&[("edges.txt", b"0 2\n2 1\n"), ("nodes.txt", b"x\ny\nz\n")]);
    let Matrix::Sparse(links) = &dataset.graph.block(LINKS).expect("links").matrix else {
        panic!("sparse")
    };
    assert_eq!(links.row(0).collect::<Vec<_>>(), [(2, 1.0)]);
    assert!(
        dataset.info.iter().any(|note| note.text.contains("row numbers")),
        "{:?}",
        dataset.info
    );
}

#[test]
fn views_are_links_if_square() {
    let square = csr([2, 2], &[0, 1, 1], &[1], &[1.0]);
    let wide = csr([2, 3], &[0, 1, 2], &[1, 2], &[1.0, 2.0]);
    let graph =
        read(&[("adj.npz", &square), ("views/cites.npz", &square), ("views/venue.npz", &wide)])
            .graph;
    assert_eq!(graph.block("cites").expect("view").kind, BlockKind::Links { directed: true });
    assert_eq!(graph.block("venue").expect("view").kind, BlockKind::Attributes);
    let graph =
        read(&[("edges.csv", b"a,b\nb,a\n"), ("views/follows.csv", b"a,b,2\nb,c,1\n")]).graph;
    assert_eq!(graph.block("follows").expect("view").kind, BlockKind::Links { directed: false });
    assert_eq!(graph.block(LINKS).expect("links").kind, BlockKind::Links { directed: false });
    assert_eq!(graph.nodes().ids().collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn edge_lists_are_undirected_unless_said_otherwise() {
    let kind = |dataset: &Dataset| dataset.graph.block(LINKS).expect("links").kind;
    let (directed, undirected) =
        (BlockKind::Links { directed: true }, BlockKind::Links { directed: false });
    // Each link once: read as undirected, and said in a note.
    let once = read(&[("edges.csv", b"a,b\nb,c\n")]);
    assert_eq!(kind(&once), undirected);
    assert_eq!(once.graph.block(LINKS).expect("links").matrix.nnz(), 4);
    let hint = Some(Hint::Direction);
    let says = |notes: &[Note]| notes.iter().filter(|note| note.hint == hint).count();
    assert_eq!((says(&once.info), says(&once.warnings)), (1, 0), "{:?}", once.info);
    // Both ways throughout: nothing was decided, nothing is said.
    let twice = read(&[("edges.csv", b"a,b\nb,a\nb,c\nc,b\n")]);
    assert_eq!((kind(&twice), says(&twice.info), says(&twice.warnings)), (undirected, 0, 0));
    // Some pairs both ways, or with different weights: the same, but deserving a look.
    for list in [&b"a,b\nb,a\nb,c\n"[..], b"a,b,1\nb,a,2\n"] {
        let some = read(&[("edges.csv", list)]);
        assert_eq!((kind(&some), says(&some.warnings)), (undirected, 1), "{:?}", some.warnings);
    }
    // Citations have a direction by definition, and a matrix says what it is.
    assert_eq!(kind(&read(&[("x.cites", b"a b\nb c\n")])), directed);
    let arc = b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n";
    assert_eq!(kind(&read(&[("adj.mtx", arc)])), directed);
}

#[test]
fn direction_can_be_said() {
    let folder = folder(&[("edges.csv", b"a,b,2\nb,a,1\nb,c,1\n")]);
    let mut spec = DatasetSpec::at(folder.path());
    spec.directed = Directed::No;
    let graph = load(&spec).expect("undirected").graph;
    let block = graph.block(LINKS).expect("links");
    let Matrix::Sparse(links) = &block.matrix else { panic!("sparse") };
    assert!(links.is_symmetric() && block.kind == BlockKind::Links { directed: false });
    assert_eq!(links.row(1).collect::<Vec<_>>(), [(0, 2.0), (2, 1.0)]);
    spec.directed = Directed::Yes;
    let kind = load(&spec).expect("directed").graph.block(LINKS).expect("links").kind;
    assert_eq!(kind, BlockKind::Links { directed: true });
}

#[test]
fn single_files_are_data_sets_too() {
    let folder = folder(&[
        ("x.content", b"p1\t0\t1\tA\np2\t1\t1\tB\n"),
        ("x.cites", b"p1\tp2\nother\tp1\n"),
        ("two.mat", &mat(true)),
        ("plain.mat", &mat(false)),
        ("links.mtx", b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n3 1\n"),
    ]);
    for name in ["x.content", "x.cites"] {
        let graph = load(&DatasetSpec::at(folder.path().join(name))).expect(name).graph;
        assert_eq!(graph.nodes().ids().collect::<Vec<_>>(), ["p1", "p2", "other"]);
        assert_eq!(missing(&graph, ATTRIBUTES), ["other"]);
        assert_eq!(graph.labels().expect("labels").of(2), &[] as &[u32]);
    }
    for name in ["two.mat", "plain.mat"] {
        let graph = load(&DatasetSpec::at(folder.path().join(name))).expect(name).graph;
        assert_eq!((graph.nodes().len(), graph.blocks().len()), (2, 2), "{name}");
    }
    let graph = load(&DatasetSpec::at(folder.path().join("links.mtx"))).expect("mtx").graph;
    assert_eq!(graph.block(LINKS).expect("links").matrix.nnz(), 2);
    let mut spec = DatasetSpec::at(folder.path().join("two.mat"));
    (spec.mat.links, spec.mat.attributes) = ("feature".into(), "network".into());
    let graph = load(&spec).expect("renamed").graph;
    assert_eq!(graph.block(LINKS).expect("links").matrix.nnz(), 3);
}
