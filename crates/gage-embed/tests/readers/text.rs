//! Edge lists and attribute tables as people write them.

use gage_embed::graph::Matrix;
use gage_embed::io::{
    AttributeTable, LinkTable, read_attribute_table, read_cites, read_content, read_edge_list,
    read_labels, read_nodes,
};

use crate::support::{file, gzip};

fn named_links(table: &LinkTable) -> Vec<(String, String, f64)> {
    let ids = table.ids.as_ref().expect("ids");
    let row = |row: usize| {
        table.links.row(row).map(move |(col, value)| (ids.id(row), ids.id(col as usize), value))
    };
    (0..table.links.rows()).flat_map(row).collect()
}

fn ids(table: &LinkTable) -> Vec<String> {
    table.ids.as_ref().expect("ids").ids().collect()
}

fn links(list: &[(&str, &str, f64)]) -> Vec<(String, String, f64)> {
    list.iter().map(|&(a, b, w)| (a.to_owned(), b.to_owned(), w)).collect()
}

#[test]
fn every_separator_header_comment_and_line_end_gives_the_same_links() {
    let expected = links(&[("b", "a", 1.0), ("a", "c", 1.0), ("c", "b", 1.0)]);
    let rows = [["b", "a"], ["a", "c"], ["c", "b"]];
    for separator in [",", "\t", ";", "|", " ", "  ", ", ", " \t "] {
        for header in ["", "source{}target", "# a comment\n\n%another\n", "# x\nFrom{}To"] {
            for end in ["\n", "\r\n"] {
                for mark in ["", "\u{feff}"] {
                    for quote in ["", "\""] {
                        let mut text = mark.to_owned();
                        if !header.is_empty() {
                            text += &header.replace("{}", separator).replace('\n', end);
                            text += end;
                        }
                        for [a, b] in rows {
                            text += &format!("{quote}{a}{quote}{separator}{quote}{b}{quote}{end}");
                        }
                        for trimmed in [text.as_str(), text.trim_end()] {
                            let (_folder, path) = file("edges.txt", trimmed);
                            let table = read_edge_list(&path, true).expect(trimmed);
                            assert_eq!(named_links(&table), expected, "{trimmed:?}");
                            assert_eq!(ids(&table), ["b", "a", "c"], "{trimmed:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn weights_directions_and_repeats() {
    let (_folder, path) = file("edges.csv", "a,b,0.5\nb,a,2\na,b,0.25\nc,a,-1e-3\n");
    let table = read_edge_list(&path, true).expect("weights");
    assert_eq!(named_links(&table), links(&[("a", "b", 0.75), ("b", "a", 2.0), ("c", "a", -1e-3)]));
    assert!(
        table.warnings.iter().any(|line| line.text.contains("more than once")),
        "{:?}",
        table.warnings
    );
    let both = read_edge_list(&path, false).expect("weights");
    assert!(both.links.is_symmetric());
    assert_eq!(
        named_links(&both),
        links(&[("a", "b", 2.0), ("a", "c", -1e-3), ("b", "a", 2.0), ("c", "a", -1e-3)])
    );
    let (_folder, path) = file("edges.csv", "to,when,from,weight\nx,2020,y,3\nx,2021,y,4\n");
    let table = read_edge_list(&path, true).expect("columns by name");
    assert_eq!(named_links(&table), links(&[("y", "x", 7.0)]));
    assert!(table.reading.as_ref().is_some_and(|r| r.to_string().contains("`when`")));
}

/// Numbers, numbers too large for a table, text, and compressed files take different ways through
/// the reader.
#[test]
fn all_ways_of_reading_agree() {
    let mut state = 1u64;
    let mut next = |bound: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    let pairs: Vec<(u64, u64)> = (0..120_000).map(|_| (next(5000), next(5000))).collect();
    let text = |id: &dyn Fn(u64) -> String| -> String {
        pairs.iter().map(|&(a, b)| format!("{}\t{}\n", id(a), id(b))).collect()
    };
    let plain = text(&|id| id.to_string());
    let (_f1, numbers) = file("edges.tsv", &plain);
    let (_f2, packed) = file("edges.tsv.gz", gzip(plain.as_bytes()));
    let (_f3, large) = file("edges.tsv", text(&|id| (id + 4_000_000_000).to_string()));
    let (_f4, padded) = file("edges.tsv", text(&|id| format!("{id:09}")));
    let (_f5, long) = file("edges.tsv", text(&|id| format!("a rather long name {id}")));
    let (_f6, quoted) =
        file("edges.tsv.gz", gzip(text(&|id| format!("\"say \"\"{id}\"\"\"")).as_bytes()));
    // Only the last line shows that ids are not numbers.
    let (_f7, late) = file("edges.tsv", format!("{plain}x\t0\n"));
    let reference = read_edge_list(&numbers, true).expect("numbers");
    let first: Vec<u64> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    let mut seen = std::collections::HashSet::new();
    let order: Vec<String> =
        first.into_iter().filter(|&id| seen.insert(id)).map(|id| id.to_string()).collect();
    assert_eq!(ids(&reference), order);
    for (path, name) in
        [(&packed, ""), (&large, "4"), (&padded, "0"), (&long, "a"), (&quoted, "say \"")]
    {
        let table = read_edge_list(path, true).expect(name);
        assert_eq!(table.links, reference.links, "{name}");
        assert!(ids(&table)[0].starts_with(name), "{}", ids(&table)[0]);
    }
    let late = read_edge_list(&late, true).expect("late");
    assert_eq!(ids(&late)[..order.len()], order);
    assert_eq!(ids(&late).last().map(String::as_str), Some("x"));
}

fn cells(table: &AttributeTable) -> Vec<Vec<f64>> {
    let matrix = &table.matrix;
    let cell = |row: usize, col: usize| match matrix {
        Matrix::Sparse(sparse) => {
            sparse.row(row).find(|entry| entry.0 as usize == col).map_or(0.0, |entry| entry.1)
        }
        Matrix::Dense(dense) => dense.get(row, col),
    };
    (0..matrix.rows()).map(|r| (0..matrix.cols()).map(|c| cell(r, c)).collect()).collect()
}

#[test]
fn mixed_columns_become_numbers() {
    let text = "\u{feff}name;age;city;notes;same;label\r\n\
        ann;20;Bonn;\"likes graphs; and trees\";1;x\r\n\
        bob;;Bonn;graphs everywhere;1;y\r\n\
        # a comment\r\n\
        cy;40;Ulm;\"trees,\nbirds \"\"and\"\" bees\";1;x\r\n\
        dee;60;;;1;\r\n\
        eve;NA;;;;\r\n";
    let (_folder, path) = file("people.csv", text);
    let table = read_attribute_table(&path).expect("table");
    let names: Vec<String> = table.ids.as_ref().expect("ids").ids().collect();
    assert_eq!(names, ["ann", "bob", "cy", "dee", "eve"]);
    let columns = table.columns.as_ref().expect("columns");
    assert_eq!(columns[..3], ["age", "city=Bonn", "city=Ulm"]);
    assert_eq!(columns[3..], ["notes:and", "notes:graphs", "notes:trees"]);
    let cells = cells(&table);
    let deviation = (800f64 / 3.0).sqrt();
    assert!(
        (cells[0][0] + 20.0 / deviation).abs() < 1e-6
            && (cells[3][0] - 20.0 / deviation).abs() < 1e-6
    );
    assert!(cells[1][0].is_nan(), "an empty cell is missing");
    assert_eq!((cells[2][1], cells[2][2]), (0.0, 1.0));
    assert!(cells[3][1].is_nan() && cells[3][4].is_nan());
    let length = |row: &[f64]| row[3..].iter().map(|v| v * v).sum::<f64>();
    assert!((length(&cells[0]) - 1.0).abs() < 1e-6 && (length(&cells[1]) - 1.0).abs() < 1e-6);
    assert_eq!(table.observed, Some(vec![true, true, true, true, false]));
    let labels = table.labels.as_ref().expect("labels");
    assert_eq!((labels.class_names().len(), labels.of(3).len()), (2, 0));
    assert!(table.reading.as_ref().is_some_and(|r| r.to_string().contains("`same`")));
}

#[test]
fn tables_without_header_or_ids() {
    let (_folder, path) = file("t.txt", "n1 1 2\nn2 3 4\nn3 3 8\n");
    let table = read_attribute_table(&path).expect("no header");
    assert_eq!(table.ids.expect("ids").name(2), Some("n3"));
    assert_eq!(table.matrix.cols(), 2);
    let (_folder, path) = file("t.csv", "0.5,1\n0.25,2\n0.5,4\n");
    let table = read_attribute_table(&path).expect("no ids");
    assert!(table.ids.is_none());
    assert_eq!((table.matrix.rows(), table.matrix.cols()), (3, 2));
}

#[test]
fn linqs_files() {
    let (_folder, path) = file("x.content", "p1\t0\t1\t0\tTheory\np2\t1\t1\t0\tAI\n");
    let table = read_content(&path).expect("content");
    assert_eq!(cells(&table), [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
    assert_eq!(table.labels.expect("labels").class_names(), ["AI", "Theory"]);
    let (_folder, path) = file("x.cites", "p1\tp2\n35\tp1\n");
    let cites = read_cites(&path).expect("cites");
    assert_eq!(named_links(&cites), links(&[("p1", "35", 1.0), ("p2", "p1", 1.0)]));
}

#[test]
fn labels_and_names_in_text() {
    let list = |text: &str| {
        let (_folder, path) = file("labels.txt", text);
        let table = read_labels(&path).expect(text);
        let rows: Vec<Vec<String>> = (0..table.labels.len())
            .map(|n| {
                table
                    .labels
                    .of(n)
                    .iter()
                    .map(|&c| table.labels.class_names()[c as usize].clone())
                    .collect()
            })
            .collect();
        (table.ids, rows.concat())
    };
    assert_eq!(list("x\ny\nx\n"), (None, ["x", "y", "x"].map(str::to_owned).to_vec()));
    assert_eq!(list("label\n2\n-1\n0\n"), (None, ["2", "0"].map(str::to_owned).to_vec()));
    let (ids, rows) = list("id,label\na,red\nb,\nc,blue\n");
    assert_eq!(ids, Some(["a", "b", "c"].map(str::to_owned).to_vec()));
    assert_eq!(rows, ["red", "blue"]);
    let (_folder, path) = file("nodes.txt", "a b\r\n#2\r\nc,d\r\n");
    let nodes: Vec<String> = read_nodes(&path).expect("names").ids().collect();
    assert_eq!(nodes, ["a b", "#2", "c,d"]);
}
