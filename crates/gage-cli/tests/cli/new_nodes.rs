//! `gage fold-in`.

use crate::support::{NODES, Place, assert_same, words};

fn place() -> Place {
    let place = Place::with_model();
    // Two nodes like n4 and n5: the same links, the same words.
    let mut edges = String::from("source,target\n");
    let all = place.text("data/edges.csv");
    for (new, old) in [("new1", "n4"), ("new2", "n5")] {
        for line in all.lines().skip(1) {
            let (a, b) = line.split_once(',').unwrap();
            if a == old {
                edges.push_str(&format!("{new},{b}\n"));
            } else if b == old {
                edges.push_str(&format!("{a},{new}\n"));
            }
        }
    }
    place.write("new/edges.csv", &edges);
    place
}

#[test]
fn new_nodes_are_joined_by_id() {
    let place = place();
    let report = place.json(&["fold-in", "m.gage", "new", "-o", "new.csv"]);
    assert_eq!(report["new_nodes"], 2);
    let table = place.text("new.csv");
    let ids: Vec<&str> = table.lines().skip(1).map(|l| l.split(',').next().unwrap()).collect();
    assert_eq!(ids, ["new1", "new2"]);
    assert!(
        place
            .ok(&["fold-in", "m.gage", "--graph", "new/edges.csv", "-o", "b.csv"])
            .contains("2 new nodes")
    );
    assert_same(&place, "new.csv", "b.csv");
}

#[test]
fn what_does_not_match_is_said() {
    let place = place();
    let mut edges = place.text("new/edges.csv");
    edges.push_str("new1,new2\nn1,n2\n");
    place.write("new/edges.csv", &edges);
    let table = words(4..6).replace("word3", "unheard").replace("n4", "new1").replace("n5", "new3");
    place.write("new/attributes.csv", &table);
    let report = place.json(&["fold-in", "m.gage", "new", "-o", "new.csv"]);
    let remarks = report["remarks"].to_string();
    for part in [
        "join two new nodes",
        "already has",
        "not in the model, left out: unheard",
        "absent",
        "word3",
    ] {
        assert!(remarks.contains(part), "{part} in {remarks}");
    }
    // new1 has both, new2 links only, new3 words only; all get a row.
    assert_eq!(report["new_nodes"], 3);
    assert_eq!(report["nodes_without_any_view"], serde_json::json!([]));
}

#[test]
fn a_matrix_of_links_needs_the_right_shape() {
    let place = Place::with_model();
    place.ok(&["convert", "data", "adj.npz", "--directed", "no"]);
    let report = place.json(&["fold-in", "m.gage", "--graph", "adj.npz", "-o", "x.npy"]);
    assert_eq!(report["new_nodes"], NODES);
    place.write("small.csv", &crate::support::edges(30));
    place.ok(&["convert", "small.csv", "small.npz"]);
    let (error, _) = place.fails(4, &["fold-in", "m.gage", "--graph", "small.npz", "-o", "x.npy"]);
    assert!(error.contains("(new x fitted nodes)"), "{error}");
}

#[test]
fn foreign_ids_and_tables_are_errors() {
    let place = place();
    place.write("foreign.csv", "source,target\nx,y\ny,z\n");
    let (error, _) =
        place.fails(4, &["fold-in", "m.gage", "--graph", "foreign.csv", "-o", "x.npy"]);
    assert!(error.contains("no link between a new node and a node of the model"), "{error}");
    let args = ["fold-in", "m.gage", "--view", "salary=data/attributes.csv", "-o", "x.npy"];
    let (error, _) = place.fails(4, &args);
    assert!(error.contains("fitted without `salary`; it knows links, attributes"), "{error}");
    place.fails(2, &["fold-in", "m.gage", "-o", "x.npy"]);
    place.fails(3, &["fold-in", "m.gage", "--graph", "nowhere.csv", "-o", "x.npy"]);
}

fn mixed(rows: &[usize], name: impl Fn(usize) -> String) -> String {
    let mut text = "who,age,city,about\n".to_owned();
    for &i in rows {
        let topic = ["graphs and trees", "forests of trees", "sparse graphs"][i % 3];
        let other = ["in summer", "in winter", "dense forests", "by night"][(i / 3) % 4];
        let city = ["Ulm", "Bonn"][i % 2];
        text.push_str(&format!("{},{},{city},{topic} {other} id{i}\n", name(i), 20 + i * i % 37));
    }
    text
}

#[test]
fn tables_are_encoded_like_the_fitted_one() {
    let place = Place::new();
    let all: Vec<usize> = (0..NODES).collect();
    place.write("data/attributes.csv", &mixed(&all, |i| format!("n{i}")));
    let embed = ["embed", "data", "--dim", "8", "-o", "e.npy", "--model", "m.gage"];
    place.ok(&embed);
    let fold = |name: &str, table: &str| -> Vec<String> {
        place.write(name, table);
        place.ok(&["fold-in", "m.gage", "--attributes", name, "-o", "new.csv"]);
        place.text("new.csv").lines().skip(1).map(str::to_owned).collect()
    };
    // The same rows under new names: alone, among all others, with columns in another order.
    let all_rows = fold("all.csv", &mixed(&all, |i| format!("new{i}")));
    let some = mixed(&[9, 40], |i| format!("new{i}"));
    let some_rows = fold("some.csv", &some);
    assert_eq!(some_rows, [all_rows[9].clone(), all_rows[40].clone()]);
    let other_order: String = some
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{},{},{},{}\n", cells[3], cells[0], cells[2], cells[1])
        })
        .collect();
    assert_eq!(fold("shuffled.csv", &other_order), some_rows);
    // What the model has not seen is counted.
    place.write("odd.csv", &some.replace("Bonn", "Oslo").replace("trees", "shrubs"));
    let report = place.json(&["fold-in", "m.gage", "--attributes", "odd.csv", "-o", "x.csv"]);
    let remarks = report["remarks"].to_string();
    for part in ["`city`: 1 values are not in the model", "`about`: 4 words are not in the model"] {
        assert!(remarks.contains(part), "{part} in {remarks}");
    }
}

#[test]
fn columns_of_a_folder_are_matched_by_name() {
    let place = Place::new();
    place.ok(&["convert", "data", "folder"]);
    let embed = ["embed", "folder", "--dim", "8", "-o", "e.npy", "--model", "m.gage"];
    place.ok(&embed);
    let names: Vec<String> = place.text("folder/columns.txt").lines().map(str::to_owned).collect();
    let matrix = |order: &[usize]| {
        let mut text = format!("%%MatrixMarket matrix array real general\n2 {}\n", order.len());
        for &col in order {
            text.push_str(&format!("{}\n{}\n", col as f64 / 7.0, (col * col % 5) as f64));
        }
        text
    };
    let order: Vec<usize> = (0..names.len()).collect();
    let back: Vec<usize> = order.iter().rev().copied().collect();
    place.write("a/features.mtx", &matrix(&order));
    place.write("b/features.mtx", &matrix(&back));
    let list: String = back.iter().map(|&at| format!("{}\n", names[at])).collect();
    place.write("b/columns.txt", &list);
    place.ok(&["fold-in", "m.gage", "a", "-o", "a.csv"]);
    place.ok(&["fold-in", "m.gage", "b", "-o", "b.csv"]);
    // Sums run in another order, so the last digits may differ.
    let numbers = |name: &str| -> Vec<f64> {
        let text = place.text(name);
        let cells = text.lines().skip(1).flat_map(|line| line.split(',').skip(1));
        cells.map(|cell| cell.parse().unwrap()).collect()
    };
    let (a, b) = (numbers("a.csv"), numbers("b.csv"));
    assert!(a.iter().any(|v| v.abs() > 1e-3));
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-4), "{a:?} {b:?}");
    place.write("c/features.mtx", &matrix(&order[..3]));
    let (error, _) = place.fails(4, &["fold-in", "m.gage", "c", "-o", "c.csv"]);
    assert!(error.contains("has 3 columns, the model"), "{error}");
}

#[test]
fn further_relations_are_folded_in() {
    let place = Place::new();
    place.write("data/views/friends.csv", &crate::support::edges(NODES));
    let embed = ["embed", "data", "--dim", "8", "-o", "e.npy", "--model", "m.gage"];
    place.ok(&embed);
    place.write("new/views/friends.csv", "source,target\nnew1,n4\nn6,new1\nnew2,n5\n");
    let report = place.json(&["fold-in", "m.gage", "new", "-o", "new.csv"]);
    assert_eq!(report["new_nodes"], 2);
    assert_eq!(report["nodes_without_any_view"], serde_json::json!([]));
    place.write("lost/views/friends.csv", "source,target\nx,y\n");
    let (error, _) = place.fails(4, &["fold-in", "m.gage", "lost", "-o", "x.csv"]);
    assert!(error.contains("`friends`: found no link between a new node"), "{error}");
}

#[test]
fn links_that_only_smooth_views_are_taken() {
    let place = place();
    // `links` takes steps along the links, and no view has the adjacency as its block.
    place.ok(&[
        "embed",
        "data",
        "--preset",
        "links",
        "--dim",
        "8",
        "-o",
        "e.npy",
        "--model",
        "steps.gage",
    ]);
    let args = ["fold-in", "steps.gage", "--graph", "new/edges.csv", "-o", "new.csv"];
    let report = place.json(&args);
    assert_eq!(report["new_nodes"], 2);
    assert_eq!(report["nodes_without_any_view"], serde_json::json!([]));
}
