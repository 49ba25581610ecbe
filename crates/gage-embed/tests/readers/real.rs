//! Real data sets, against the counts that their makers publish.

use gage_embed::graph::{ATTRIBUTES, BlockKind, LINKS, Matrix};
use gage_embed::io::{DatasetSpec, ZeroRows, load};

use gage_testing::dataset;

/// folder, nodes, links, attribute columns, attribute entries, directed, classes, unlabelled
type Counts = (&'static str, usize, usize, usize, usize, bool, usize, usize);

const COUNTS: [Counts; 8] = [
    ("webkb", 877, 2_776, 1_703, 79_365, false, 5, 0),
    ("wiki", 2_405, 23_192, 4_973, 1_556_595, false, 19, 0),
    ("blogcatalog", 5_196, 343_486, 8_189, 369_435, false, 6, 0),
    ("webkb_directed", 877, 1_608, 1_703, 79_365, true, 5, 0),
    ("planetoid_cora", 2_708, 10_556, 1_433, 49_216, false, 7, 0),
    ("planetoid_citeseer", 3_327, 9_228, 3_703, 105_165, false, 6, 15),
    ("pubmed", 19_717, 88_651, 500, 988_031, false, 3, 0),
    ("fb100_amherst41", 2_235, 181_908, 461, 9_319, false, 7, 250),
];

#[test]
fn folders_have_the_sizes_their_makers_count() {
    for (name, nodes, links, columns, entries, directed, classes, unlabelled) in COUNTS {
        let Some(folder) = dataset(name) else { continue };
        let graph = load(&DatasetSpec::at(folder)).expect(name).graph;
        assert_eq!(graph.nodes().len(), nodes, "{name}");
        let block = graph.block(LINKS).expect(name);
        assert_eq!(block.matrix.nnz(), links, "{name}");
        assert_eq!(block.kind, BlockKind::Links { directed }, "{name}");
        let table = graph.block(ATTRIBUTES).expect(name);
        assert_eq!((table.matrix.cols(), table.matrix.nnz()), (columns, entries), "{name}");
        let labels = graph.labels().expect(name);
        assert_eq!(labels.class_names().len(), classes, "{name}");
        let without = (0..nodes).filter(|&node| labels.of(node).is_empty()).count();
        assert_eq!(without, unlabelled, "{name}");
    }
}

#[test]
fn names_views_and_class_names_of_debian() {
    let Some(folder) = dataset("debian_bookworm") else { return };
    let dataset = load(&DatasetSpec::at(folder)).expect("debian");
    let graph = &dataset.graph;
    assert_eq!(graph.nodes().len(), 64_494);
    assert_eq!(graph.nodes().name(0), Some("0ad"));
    let table = graph.block(ATTRIBUTES).expect("attributes");
    let columns = table.columns.as_ref().expect("column names");
    assert_eq!((columns.len(), columns[1].as_str()), (12_067, "time"));
    let names: Vec<&str> = graph.blocks().iter().map(|block| block.name.as_str()).collect();
    let expected = [
        "links",
        "conflicts_replaces",
        "depends",
        "recommends_suggests",
        "attributes",
        "factor_maintainer",
        "factor_source",
    ];
    assert_eq!(names, expected);
    assert!(graph.labels().expect("labels").class_names().contains(&"haskell".to_owned()));
    assert!(dataset.info.iter().any(|note| note.text.contains("labels.npz")), "{:?}", dataset.info);
}

#[test]
fn zero_rows_are_missing_if_asked() {
    let Some(folder) = dataset("wiki") else { return };
    let mut spec = DatasetSpec::at(folder);
    let whole = load(&spec).expect("wiki").graph;
    assert!(whole.blocks().iter().all(|block| block.observed.is_none()));
    spec.zero_rows = ZeroRows::Missing;
    let masked = load(&spec).expect("wiki").graph;
    let missing = |name: &str| {
        masked.block(name).and_then(|b| b.observed.as_ref()).map(|mask| mask.len() - mask.count())
    };
    assert_eq!((missing(LINKS), missing(ATTRIBUTES)), (Some(42), Some(88)));
}

#[test]
fn wordnet_loads_with_its_nine_relations() {
    let Some(folder) = dataset("wordnet") else { return };
    let dataset = load(&DatasetSpec::at(folder)).expect("wordnet");
    let graph = dataset.graph;
    // Its names repeat; as no file refers to nodes by name, that is said and does no harm.
    assert!(dataset.warnings.iter().any(|note| note.text.contains("nodes.txt")));
    assert_eq!(graph.nodes().name(23), Some("substance.n#2"));
    assert_eq!(graph.nodes().len(), 117_659);
    assert_eq!(graph.blocks().len(), 11);
}

/// The folder of `wiki` keeps its attributes in single precision, the `.mat` file in double: there,
/// and only there, values are compared as `f32`. All else is equal exactly.
#[test]
fn mat_files_equal_the_folders() {
    for (file, name) in [("webkb", "webkb"), ("wiki", "wiki"), ("BlogCatalog", "blogcatalog")] {
        let Some(mat) = dataset(&format!("mat/{file}.mat")) else { continue };
        let Some(folder) = dataset(name) else { continue };
        let mat = load(&DatasetSpec::at(mat)).expect(file).graph;
        let dir = load(&DatasetSpec::at(folder)).expect(name).graph;
        assert_eq!(mat.nodes(), dir.nodes(), "{name}");
        assert_eq!(mat.labels(), dir.labels(), "{name}");
        assert_eq!(mat.block(LINKS), dir.block(LINKS), "{name}");
        assert_eq!(mat.blocks().len(), dir.blocks().len(), "{name}");
        if name != "wiki" {
            assert_eq!(mat.block(ATTRIBUTES), dir.block(ATTRIBUTES), "{name}");
            continue;
        }
        let (Some(Matrix::Sparse(double)), Some(Matrix::Sparse(single))) = (
            mat.block(ATTRIBUTES).map(|block| &block.matrix),
            dir.block(ATTRIBUTES).map(|block| &block.matrix),
        ) else {
            panic!("{name}: attributes are sparse");
        };
        assert_eq!(double.indptr(), single.indptr());
        assert_eq!(double.indices(), single.indices());
        for at in 0..double.nnz() {
            assert_eq!(double.values().get(at) as f32, single.values().get(at) as f32, "{at}");
        }
    }
}
