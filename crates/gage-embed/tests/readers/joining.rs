//! The rule of `docs/joining.md`, one case after the other: what is given, what is said, what is
//! built.

use std::path::Path;

use gage_embed::graph::{ATTRIBUTES, LINKS, Labels, Matrix};
use gage_embed::io::{
    Align, Dataset, DatasetSpec, IdSpelling, JoinRule, LabelTable, Origin, align_labels, load,
    reorder,
};
use gage_embed::{Graph, Nodes, SparseMatrix};
use gage_testing::Random;
use tempfile::TempDir;

use crate::support::{csr, write};

const AUTO: JoinRule = JoinRule { align: Align::Auto, spelling: IdSpelling::Auto };
const BY_ID: JoinRule = JoinRule { align: Align::Id, ..AUTO };
const BY_POSITION: JoinRule = JoinRule { align: Align::Position, ..AUTO };
const EXACT: JoinRule = JoinRule { spelling: IdSpelling::Exact, ..AUTO };
const FOLD: JoinRule = JoinRule { spelling: IdSpelling::FoldCase, ..AUTO };

fn read(files: &[(&str, &[u8])], join: JoinRule) -> Result<Dataset, String> {
    let folder = TempDir::new().expect("temporary folder");
    for (name, content) in files {
        write(folder.path(), name, content);
    }
    let spec = DatasetSpec { join, ..DatasetSpec::at(folder.path()) };
    load(&spec).map_err(|error| format!("{error}; {}", error.hint()))
}

/// Values and classes by name.
type Rows = (Vec<(String, f64)>, Vec<(String, String)>);

/// The first attribute of every node by id, and which nodes are linked.
fn built(graph: &Graph) -> Rows {
    let id = |node: usize| graph.nodes().id(node);
    let value = |row: usize| match &graph.block(ATTRIBUTES).expect("attributes").matrix {
        Matrix::Dense(dense) => dense.get(row, 0),
        Matrix::Sparse(sparse) => sparse.row(row).next().map_or(0.0, |entry| entry.1),
    };
    let mut values: Vec<(String, f64)> =
        (0..graph.nodes().len()).map(|node| (id(node), value(node))).collect();
    values.sort_by(|a, b| a.0.cmp(&b.0));
    let Matrix::Sparse(links) = &graph.block(LINKS).expect("links").matrix else { panic!() };
    let mut pairs = Vec::new();
    for row in 0..links.rows() {
        pairs.extend(links.row(row).map(|(col, _)| (id(row), id(col as usize))));
    }
    pairs.sort();
    (values, pairs)
}

fn names(graph: &Graph) -> Vec<String> {
    graph.nodes().ids().collect()
}

#[test]
fn tables_beside_a_matrix() {
    // A path 0 - 1 - 2.
    let path = csr([3, 3], &[0, 1, 3, 4], &[1, 0, 2, 1], &[1.0; 4]);
    type Case<'a> = (&'a str, &'a [u8], JoinRule, Result<&'a [&'a str], &'a str>, [f64; 3]);
    let counted: &[u8] = b"id,x\n3,3\n1,1\n2,2\n";
    let from_zero: &[u8] = b"id,x\n2,2\n0,0\n1,1\n";
    let named: &[u8] = b"id,x\nc,3\na,1\nb,2\n";
    let cases: [Case<'_>; 9] = [
        ("1 to N", counted, AUTO, Err("two readings are plausible"), [0.0; 3]),
        ("1 to N by id", counted, BY_ID, Ok(&["1", "2", "3"]), [1.0, 2.0, 3.0]),
        ("1 to N by position", counted, BY_POSITION, Ok(&["3", "1", "2"]), [3.0, 1.0, 2.0]),
        ("0 to N - 1", from_zero, AUTO, Ok(&["0", "1", "2"]), [0.0, 1.0, 2.0]),
        ("0 to N - 1 by id", from_zero, BY_ID, Ok(&["0", "1", "2"]), [0.0, 1.0, 2.0]),
        ("0 to N - 1 by position", from_zero, BY_POSITION, Ok(&["2", "0", "1"]), [2.0, 0.0, 1.0]),
        ("names", named, AUTO, Ok(&["c", "a", "b"]), [3.0, 1.0, 2.0]),
        ("names by id", named, BY_ID, Err("rows without ids"), [0.0; 3]),
        ("names by position", named, BY_POSITION, Ok(&["c", "a", "b"]), [3.0, 1.0, 2.0]),
    ];
    for (case, table, join, expected, values) in cases {
        let found = read(&[("adj.npz", &path), ("attributes.csv", table)], join);
        match (found, expected) {
            (Ok(dataset), Ok(ids)) => {
                assert_eq!(names(&dataset.graph), ids, "{case}");
                let Matrix::Dense(dense) = &dataset.graph.block(ATTRIBUTES).unwrap().matrix else {
                    panic!("{case}")
                };
                // Numbers of tables are standardised, which keeps their order.
                let order = |row: usize, other: usize| {
                    let (a, b) = (dense.get(row, 0), dense.get(other, 0));
                    a.total_cmp(&b)
                };
                for (row, other) in [(0, 1), (1, 2), (0, 2)] {
                    let expected = f64::total_cmp(&values[row], &values[other]);
                    assert_eq!(order(row, other), expected, "{case}: {row} {other}");
                }
            }
            (Err(text), Err(part)) => {
                assert!(text.contains(part) && text.contains("; "), "{case}: {text}");
            }
            (found, _) => panic!("{case}: {found:?}"),
        }
    }
}

#[test]
fn ids_that_differ_in_case_or_blanks() {
    let table: &[u8] = b"id,x\nN1,1\nN2,2\nn3,3\n";
    let edges: &[u8] = b"source,target\nn1,n2\nn2,n3\nn3,n1\n";
    let files = [("edges.csv", edges), ("attributes.csv", table)];
    let refused = read(&files, AUTO).unwrap_err();
    for part in ["edges.csv", "attributes.csv", "2 ids that differ only in case", "`N1`", "`n1`"] {
        assert!(refused.contains(part), "no {part} in {refused}");
    }
    assert_eq!(names(&read(&files, EXACT).unwrap().graph), ["N1", "N2", "n3", "n1", "n2"]);
    let joined = read(&files, FOLD).unwrap();
    assert_eq!(names(&joined.graph), ["N1", "N2", "n3"]);
    assert_eq!(built(&joined.graph).1.len(), 6, "each link both ways");
    assert!(joined.info.iter().any(|note| note.text.contains("2 ids that differ only in case")));
    // Quoted blanks are part of an id.
    let blank: &[u8] = b"id,x\n\"n1 \",1\nn2,2\nn3,3\n";
    let files = [("edges.csv", edges), ("attributes.csv", blank)];
    let refused = read(&files, AUTO);
    if let Err(text) = &refused {
        assert!(text.contains("1 id that differs only in blanks around them"), "{text}");
    } else {
        // The reader has taken them off already.
        assert_eq!(names(&refused.unwrap().graph).len(), 3);
    }
}

#[test]
fn a_table_with_a_row_for_each_spelling_tells_them_apart() {
    let table: &[u8] = b"id,x\nPolish,1\npolish,2\n";
    let edges: &[u8] = b"source,target\nPolish,polish\n";
    let files = [("edges.csv", edges), ("attributes.csv", table)];
    assert_eq!(names(&read(&files, AUTO).unwrap().graph), ["Polish", "polish"]);
    let twice = read(&files, FOLD).unwrap_err();
    assert!(twice.contains("row 1") && twice.contains("row 0"), "{twice}");
    // A list of links alone does not.
    let refused = read(&[("edges.csv", edges)], AUTO).unwrap_err();
    assert!(refused.contains("1 id that differs only in case"), "{refused}");
}

#[test]
fn spellings_within_a_list_of_links_are_merged_and_summed() {
    let edges: &[u8] = b"source,target,weight\nA,b,1\na,B,2\nb,c,4\n";
    let graph = read(&[("edges.csv", edges)], FOLD).unwrap().graph;
    assert_eq!(names(&graph), ["A", "b", "c"]);
    let Matrix::Sparse(links) = &graph.block(LINKS).unwrap().matrix else { panic!() };
    assert_eq!(links.row(0).collect::<Vec<_>>(), [(1, 3.0)]);
    assert_eq!(links.row(1).collect::<Vec<_>>(), [(0, 3.0), (2, 4.0)]);
}

fn labels(ids: &[&str]) -> LabelTable {
    let numbers: Vec<i64> = (0..ids.len() as i64).collect();
    let ids = ids.iter().map(|id| (*id).to_owned()).collect();
    LabelTable::new(Some(ids), Labels::from_numbers(&numbers))
}

#[test]
fn labels_meet_nodes_by_the_same_rule() {
    let named = Nodes::named(["a", "b", "c"]).unwrap();
    let numbered = Nodes::numbered(3);
    type Case<'a> = (&'a Nodes, &'a [&'a str], JoinRule, Result<[&'a [u32]; 3], &'a str>);
    let straight: [&[u32]; 3] = [&[0], &[1], &[2]];
    let cases: [Case<'_>; 11] = [
        (&named, &["c", "a", "b"], AUTO, Ok([&[1], &[2], &[0]])),
        (&named, &["c", "a", "b"], BY_POSITION, Ok(straight)),
        (&named, &["c", "a", "c"], AUTO, Ok([&[1], &[], &[0, 2]])),
        (&named, &["C", "a", "b"], AUTO, Err("1 id that differs only in case")),
        (&named, &["C", "a", "b"], FOLD, Ok([&[1], &[2], &[0]])),
        (&named, &["x", "y", "z"], AUTO, Err("3 of 3 ids have no node")),
        (&numbered, &["2", "0", "1"], AUTO, Ok([&[1], &[2], &[0]])),
        (&numbered, &["1", "2", "3"], AUTO, Err("count from 1")),
        (&numbered, &["3", "1", "2"], AUTO, Err("count from 1")),
        (&numbered, &["1", "2", "3"], BY_POSITION, Ok(straight)),
        (&numbered, &["a", "b", "c"], AUTO, Err("3 of 3 ids have no node")),
    ];
    for (nodes, ids, rule, expected) in cases {
        let to = Origin::Memory("the embedding".to_owned());
        let found = align_labels(nodes, to, labels(ids), Path::new("labels.csv"), rule);
        match (found, expected) {
            (Ok(found), Ok(lists)) => {
                let all: Vec<&[u32]> = (0..3).map(|node| found.labels.of(node)).collect();
                assert_eq!(all, lists, "{ids:?} {rule:?}");
                assert_eq!(found.unknown, None);
            }
            (Err(error), Err(part)) => {
                let text = error.to_string();
                assert!(text.contains(part) && text.contains("labels.csv"), "{text}");
            }
            (found, _) => panic!("{ids:?} {rule:?}: {found:?}"),
        }
    }
    let to = Origin::Memory("the embedding".to_owned());
    let some = align_labels(&named, to, labels(&["a", "x"]), Path::new("l.csv"), AUTO).unwrap();
    assert_eq!(some.unknown, Some((1, "x".to_owned())));
}

#[test]
fn a_graph_follows_the_nodes_of_a_model() {
    let files: [(&str, &[u8]); 2] =
        [("edges.csv", b"a,b\nb,c\nc,d\n"), ("attributes.csv", b"id,x\na,1\nb,2\nc,4\n")];
    let first = read(&files, AUTO).unwrap().graph;
    let files: [(&str, &[u8]); 2] =
        [("edges.csv", b"d,c\nc,b\nb,a\n"), ("attributes.csv", b"id,x\nc,4\na,1\nb,2\n")];
    let second = read(&files, AUTO).unwrap().graph;
    assert_ne!(names(&first), names(&second));
    let data = || Origin::Memory("data".to_owned());
    let moved = reorder(second.clone(), first.nodes(), data(), AUTO).unwrap();
    assert_eq!(names(&moved), names(&first));
    for (a, b) in moved.blocks().iter().zip(first.blocks()) {
        assert_eq!(a.observed, b.observed, "{}", a.name);
        match (&a.matrix, &b.matrix) {
            (Matrix::Sparse(a), Matrix::Sparse(b)) => assert_eq!(a, b),
            (Matrix::Dense(a), Matrix::Dense(b)) => {
                let all = (0..4).map(|row| (a.get(row, 0), b.get(row, 0)));
                assert!(all.into_iter().all(|(a, b)| a == b || (a.is_nan() && b.is_nan())));
            }
            _ => panic!("kinds differ"),
        }
    }
    let others = Nodes::named(["a", "b", "c", "x"]).unwrap();
    let refused = reorder(second.clone(), &others, data(), AUTO).unwrap_err().to_string();
    assert!(refused.contains("1 of 4 ids of the first") && refused.contains("`d`"), "{refused}");
    let fewer = reorder(second.clone(), &Nodes::numbered(3), data(), AUTO).unwrap_err();
    assert!(fewer.to_string().contains("4 nodes in the first and 3"), "{fewer}");
    let upper = Nodes::named(["C", "A", "B", "D"]).unwrap();
    assert!(reorder(second.clone(), &upper, data(), AUTO).is_err());
    assert_eq!(names(&reorder(second, &upper, data(), FOLD).unwrap()), ["C", "A", "B", "D"]);
}

#[test]
fn no_order_of_rows_or_links_changes_what_an_id_has() {
    let (mut random, nodes) = (Random::new(5), 30usize);
    let edges: Vec<(usize, usize)> =
        (0..nodes).flat_map(|a| [(a, (a * 7 + 3) % nodes), (a, (a + 1) % nodes)]).collect();
    for kind in ["names", "numbers"] {
        let id = |node: usize| match kind {
            "names" => format!("p{node}"),
            _ => (node * 3 + 100).to_string(),
        };
        let mut expected = None;
        for round in 0..8 {
            let mut rows: Vec<usize> = (0..nodes).collect();
            let mut links = edges.clone();
            if round > 0 {
                shuffle(&mut rows, &mut random);
                shuffle(&mut links, &mut random);
            }
            let mut table = "id,x\n".to_owned();
            rows.iter().for_each(|&row| table += &format!("{},{}\n", id(row), row * row % 17));
            let mut list = "source,target\n".to_owned();
            for &(a, b) in &links {
                let (a, b) = if round > 0 && random.below(2) == 0 { (b, a) } else { (a, b) };
                list += &format!("{},{}\n", id(a), id(b));
            }
            let files = [("edges.csv", list.as_bytes()), ("attributes.csv", table.as_bytes())];
            let (values, pairs) = built(&read(&files, AUTO).unwrap().graph);
            let values: Vec<(String, u64)> =
                values.into_iter().map(|(id, x)| (id, (1e9 * x).round().to_bits())).collect();
            let found = (values, pairs);
            assert_eq!(expected.get_or_insert_with(|| found.clone()), &found, "{kind} {round}");
        }
    }
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.below(last + 1));
    }
}

#[test]
fn a_matrix_is_a_matrix_whatever_the_rule() {
    let links = SparseMatrix::from_triplets(2, 2, &[(0, 1, 1.0), (1, 0, 1.0)]).unwrap();
    assert!(links.is_symmetric());
    let two = csr([2, 2], &[0, 1, 2], &[1, 0], &[1.0, 1.0]);
    for join in [AUTO, BY_ID, BY_POSITION, EXACT, FOLD] {
        let graph = read(&[("adj.npz", &two)], join).unwrap().graph;
        assert_eq!((graph.nodes().len(), graph.nodes().is_named()), (2, false));
    }
}
