//! How rows meet nodes in the command: `--align`, `--ids`, and joins by id in every command.

use std::collections::BTreeMap;

use crate::support::{NODES, Place, assert_same, edges, words};

/// The small data set with its rows and links in another order, links turned around.
fn shuffled() -> (String, String) {
    let turn = |line: &str| line.split(',').rev().collect::<Vec<_>>().join(",");
    let text = edges(NODES);
    let mut links: Vec<String> = text.lines().skip(1).map(turn).collect();
    links.sort_by_key(|line| line.bytes().rev().collect::<Vec<u8>>());
    let table = words(0..NODES);
    let (header, rows) = table.split_once('\n').unwrap();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_by_key(|line| line.bytes().rev().collect::<Vec<u8>>());
    let links = format!("source,target\n{}\n", links.join("\n"));
    (links, format!("{header}\n{}\n", rows.join("\n")))
}

/// Rows of an embedding by id.
fn rows(place: &Place, name: &str) -> BTreeMap<String, Vec<f64>> {
    let text = place.text(name);
    let row = |line: &str| {
        let (id, numbers) = line.split_once(',').unwrap();
        (id.to_owned(), numbers.split(',').map(|number| number.parse().unwrap()).collect())
    };
    text.lines().skip(1).map(row).collect()
}

/// Distances between all pairs, which signs of columns do not change.
fn distances(rows: &BTreeMap<String, Vec<f64>>) -> Vec<f64> {
    let all: Vec<&Vec<f64>> = rows.values().collect();
    let mut out = Vec::new();
    for a in &all {
        for b in &all {
            out.push(a.iter().zip(*b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt());
        }
    }
    out
}

#[test]
fn no_order_of_files_changes_the_row_of_an_id() {
    let place = Place::new();
    let (links, table) = shuffled();
    place.write("moved/edges.csv", &links);
    place.write("moved/attributes.csv", &table);
    for preset in ["auto", "paper", "balanced"] {
        for data in ["data", "moved"] {
            let out = format!("{data}.csv");
            place.ok(&["embed", data, "--dim", "6", "--preset", preset, "-o", &out]);
        }
        let (a, b) = (rows(&place, "data.csv"), rows(&place, "moved.csv"));
        assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
        let (a, b) = (distances(&a), distances(&b));
        let largest = a.iter().copied().fold(0.0, f64::max);
        let worst = a.iter().zip(&b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(worst < 2e-3 * largest, "{preset}: {worst} of {largest}");
    }
}

#[test]
fn a_model_is_certified_and_measured_by_id() {
    let place = Place::with_model();
    let (links, table) = shuffled();
    place.write("moved/edges.csv", &links);
    place.write("moved/attributes.csv", &table);
    let [straight, moved] = ["data", "moved"].map(|data| place.json(&["certify", "m.gage", data]));
    for (a, b) in
        straight["views"].as_array().unwrap().iter().zip(moved["views"].as_array().unwrap())
    {
        assert_eq!(a, b);
    }
    place.write("others/edges.csv", &edges(NODES).replace("n7,", "m7,").replace(",n7\n", ",m7\n"));
    place.write("others/attributes.csv", &words(0..NODES).replace("\nn7,", "\nm7,"));
    let (message, _) = place.fails(4, &["certify", "m.gage", "others"]);
    assert!(message.contains("1 of 80 ids") && message.contains("`m7`"), "{message}");
    // Labels by id, in any order, with classify, cluster and plot.
    let mut order: Vec<usize> = (0..NODES).collect();
    let score = |name: &str| {
        let args = ["evaluate", "classify", "m.gage", "--labels", name, "--shuffles", "2"];
        place.json(&args)["results"].clone()
    };
    let mut found = Vec::new();
    for name in ["straight.csv", "turned.csv"] {
        let line = |node: &usize| format!("n{node},{}\n", node % 2);
        place.write(name, &format!("id,label\n{}", order.iter().map(line).collect::<String>()));
        found.push(score(name));
        place.ok(&["plot", "m.gage", "-o", "m.svg", "--labels", name]);
        found.push(place.text("m.svg").into());
        order.sort_by_key(|node| (node * node * 7 + node / 3) % 83);
    }
    assert_eq!((&found[0], &found[1]), (&found[2], &found[3]));
    let args = ["evaluate", "classify", "m.gage", "--labels", "turned.csv", "--shuffles", "2"];
    let by_row = place.json(&[&args[..], &["--align", "position"]].concat());
    assert_ne!(by_row["results"], found[0]);
}

#[test]
fn ids_that_differ_only_in_case_are_refused_with_counts() {
    let place = Place::new();
    let table = words(0..NODES);
    let mut upper = String::new();
    for (at, line) in table.lines().enumerate() {
        let line = if at % 2 == 1 { line.replacen('n', "N", 1) } else { line.to_owned() };
        upper.push_str(&format!("{line}\n"));
    }
    place.write("data/attributes.csv", &upper);
    let embed = ["embed", "data", "--dim", "4", "-o", "e.csv"];
    let (message, help) = place.fails(4, &embed);
    // One of the 40 has no link, and so no second spelling.
    assert!(message.contains("39 ids that differ only in case"), "{message}");
    assert!(help.contains("--ids fold-case") && help.contains("--ids exact"), "{help}");
    place.ok(&[&embed[..], &["--ids", "exact"]].concat());
    assert_eq!(rows(&place, "e.csv").len(), NODES + 39);
    place.ok(&[&embed[..], &["--ids", "fold-case", "--model", "m.gage"]].concat());
    assert_eq!(rows(&place, "e.csv").len(), NODES);
    place.write("labels.csv", "id,label\nn0,a\nn1,b\nn2,a\nn3,b\nn4,a\nn5,b\n");
    let measure = ["evaluate", "classify", "m.gage", "--labels", "labels.csv", "--train", "0.5"];
    let (message, help) = place.fails(4, &measure);
    assert!(message.contains("3 ids that differ only in case"), "{message}");
    assert!(help.contains("--ids fold-case"), "{help}");
    let folded = place.json(&[&measure[..], &["--ids", "fold-case"]].concat());
    assert_eq!(folded["labelled"], 6);
    place.ok(&["certify", "m.gage", "data", "--ids", "fold-case"]);
    place.ok(&["convert", "data", "out", "--ids", "fold-case"]);
}

#[test]
fn nodes_of_a_model_are_found_by_the_same_rule() {
    let place = Place::with_model();
    place.ok(&["index", "m.gage"]);
    let indexed = ["--index", "m.gage.index"];
    for more in [&[][..], &indexed] {
        let ask = |id: &'static str, ids: &[&'static str]| {
            [&["similar", "m.gage", id, "-k", "3"], more, ids].concat()
        };
        for id in ["N7", " n7 "] {
            let (message, help) = place.fails(4, &ask(id, &[]));
            assert!(message.contains("1 id that differs only in"), "{message}");
            assert!(help.contains("--ids fold-case"), "{help}");
            let (message, help) = place.fails(4, &ask(id, &["--ids", "exact"]));
            assert!(message.contains("is not among the 80 nodes"), "{message}");
            assert!(help.contains("`n7`"), "{help}");
            let near = place.json(&ask(id, &["--ids", "fold-case"]));
            let own = place.json(&ask("n7", &[]));
            assert_eq!(near["nodes"][0]["neighbours"], own["nodes"][0]["neighbours"]);
        }
    }
    place.write("new.csv", "source,target\nfresh,N3\nfresh,n4\nfresh,N5\n");
    let fold_in = ["fold-in", "m.gage", "--graph", "new.csv", "-o", "new.npy"];
    let (message, help) = place.fails(4, &fold_in);
    assert!(message.contains("2 ids that differ only in case, first `n3`"), "{message}");
    assert!(help.contains("--ids fold-case") && help.contains("--ids exact"), "{help}");
    let folded = place.json(&[&fold_in[..], &["--ids", "fold-case"]].concat());
    assert_eq!(folded["new_nodes"], 1);
    place.write("same.csv", "source,target\nfresh,n3\nfresh,n4\nfresh,n5\n");
    place.ok(&["fold-in", "m.gage", "--graph", "same.csv", "-o", "same.npy"]);
    assert_same(&place, "new.npy", "same.npy");
    let exact = place.json(&[&fold_in[..], &["--ids", "exact"]].concat());
    assert_eq!(exact["new_nodes"], 3);
    let upper: String = words(0..NODES).replace("\nn", "\nN");
    place.write("upper/attributes.csv", &upper);
    place.write("upper/edges.csv", &edges(NODES).replace('n', "N"));
    let (message, help) = place.fails(4, &["certify", "m.gage", "upper"]);
    assert!(message.contains("80 ids that differ only in case"), "{message}");
    assert!(help.contains("--ids fold-case"), "{help}");
    place.ok(&["certify", "m.gage", "upper", "--ids", "fold-case"]);
}

#[test]
fn ids_from_one_beside_a_matrix_need_a_word() {
    let place = Place::empty();
    let mut matrix = "%%MatrixMarket matrix coordinate pattern symmetric\n12 12 18\n".to_owned();
    for node in 1..=12usize {
        for other in [node + 1, node + 4].into_iter().filter(|&other| other <= 12) {
            matrix.push_str(&format!("{other} {node}\n"));
        }
    }
    let entries = matrix.lines().count() - 2;
    let matrix = matrix.replace("12 12 18", &format!("12 12 {entries}"));
    let table = |order: &[usize]| {
        let row = |node: &usize| format!("{node},{},{}\n", node * node % 7, node % 5);
        format!("id,x,y\n{}", order.iter().map(row).collect::<String>())
    };
    let order = [5, 12, 1, 7, 3, 9, 2, 11, 4, 10, 6, 8];
    let straight: Vec<usize> = (1..=12).collect();
    place.write("shuffled/graph.mtx", &matrix);
    place.write("shuffled/attributes.csv", &table(&order));
    place.write("straight/graph.mtx", &matrix);
    place.write("straight/attributes.csv", &table(&straight));
    let embed = |data: &str, more: &[&str]| {
        [&["embed", data, "--dim", "3", "--preset", "paper", "-o", "e.csv"], more]
            .concat()
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<String>>()
    };
    let run = |data: &str, more: &[&str]| {
        let args = embed(data, more);
        place.ok(&args.iter().map(String::as_str).collect::<Vec<_>>());
        rows(&place, "e.csv")
    };
    let args = embed("shuffled", &[]);
    let (message, help) = place.fails(4, &args.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(message.contains("two readings are plausible"), "{message}");
    assert!(help.contains("--align id") && help.contains("--align position"), "{help}");
    assert_eq!(run("shuffled", &["--align", "id"]), run("straight", &[]));
    assert_ne!(run("shuffled", &["--align", "position"]), run("straight", &[]));
}
