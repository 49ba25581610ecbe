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

/// The lines of a table without its header.
fn rows(place: &Place, name: &str) -> Vec<String> {
    place.text(name).lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn appended_nodes_are_what_concatenated_files_would_be() {
    let place = place();
    place.ok(&["fold-in", "m.gage", "new", "--append", "-o", "more.gage"]);
    let report = place.json(&["fold-in", "m.gage", "new", "--append", "-o", "all.csv"]);
    assert_eq!((&report["new_nodes"], &report["appended_to"]), (&2.into(), &NODES.into()));
    for lambda in [None, Some("0.3"), Some("1")] {
        let share = lambda.map_or(vec![], |lambda| vec!["--lambda", lambda]);
        place.ok(&[&["reweight", "m.gage", "-o", "own.csv"][..], &share].concat());
        place.ok(&[&["fold-in", "m.gage", "new", "-o", "new.csv"][..], &share].concat());
        place.ok(&[&["reweight", "more.gage", "-o", "both.csv"][..], &share].concat());
        let expected = [rows(&place, "own.csv"), rows(&place, "new.csv")].concat();
        assert_eq!(rows(&place, "both.csv"), expected, "{lambda:?}");
        if lambda.is_none() {
            assert_eq!(rows(&place, "all.csv"), expected);
        }
    }
    let info = place.json(&["info", "more.gage"]);
    assert_eq!((&info["nodes"], &info["appended_nodes"]), (&(NODES + 2).into(), &2.into()));
    assert!(place.ok(&["info", "more.gage"]).contains("the last 2 nodes were appended"));
}

#[test]
fn appended_nodes_are_searched_and_drawn() {
    let place = place();
    place.ok(&["fold-in", "m.gage", "new", "--append", "-o", "more.gage"]);
    place.ok(&["fold-in", "m.gage", "new", "--append", "-o", "all.npy"]);
    place.ok(&["index", "more.gage", "--recall", "0.99"]);
    let near = |args: &[&str], most: &str| {
        let found = place.json(&[args, &["new1", "n4", "-k", most]].concat());
        let ids = |at: usize| {
            let list = found["nodes"][at]["neighbours"].as_array().unwrap().clone();
            list.into_iter().map(|one| one["id"].clone()).collect::<Vec<_>>()
        };
        [ids(0), ids(1)]
    };
    let of_model = near(&["similar", "more.gage"], "5");
    assert_eq!(of_model, near(&["similar", "all.npy"], "5"));
    assert_eq!(of_model, near(&["similar", "more.gage", "--index", "more.gage.index"], "5"));
    let [of_new, of_old] = near(&["similar", "more.gage"], "100");
    assert_eq!((of_new.len(), of_old.len()), (NODES + 1, NODES + 1));
    assert!(of_new.contains(&"n4".into()) && of_old.contains(&"new1".into()));
    for source in ["more.gage", "all.npy"] {
        let map = place.json(&["plot", source, "-o", "map.svg"]);
        assert_eq!(map["nodes"], NODES + 2);
        assert!(place.text("map.svg").contains("<title>new2</title>"));
    }
}

#[test]
fn a_model_with_appended_nodes_takes_more_and_names_what_it_cannot_use() {
    let place = place();
    place.ok(&["fold-in", "m.gage", "new", "--append", "-o", "more.gage"]);
    place.write("later.csv", "source,target\nlater,n4\nlater,new1\nlater,n6\n");
    let later = ["--graph", "later.csv", "--append"];
    let report = place.json(&[&["fold-in", "more.gage", "-o", "most.gage"], &later[..]].concat());
    assert_eq!((&report["new_nodes"], &report["appended_to"]), (&1.into(), &(NODES + 2).into()));
    let notes = report["notes"].to_string();
    assert!(notes.contains("1 links lead to nodes that were appended"), "{notes}");
    // The rows are those that the first model gives.
    for model in ["m.gage", "more.gage"] {
        place.ok(&["fold-in", model, "--graph", "later.csv", "-o", "later-rows.csv"]);
        place.ok(&["reweight", "most.gage", "-o", "most.csv"]);
        let found = rows(&place, "later-rows.csv");
        let row = found.iter().find(|row| row.starts_with("later,")).unwrap();
        assert_eq!(rows(&place, "most.csv").last(), Some(row), "{model}");
    }
}

#[test]
fn what_cannot_be_appended_is_refused() {
    let place = place();
    let fails = |code: i32, args: &[&str]| place.fails(code, &[&["fold-in"], args].concat());
    assert!(fails(2, &["m.gage", "new", "-o", "x.gage"]).1.contains("--append"));
    let (_, help) = fails(2, &["m.gage", "new", "-o", "x.gage", "--append", "--lambda", "0.2"]);
    assert!(help.contains("gage reweight"), "{help}");
    fails(5, &["m.gage", "new", "-o", "m.gage", "--append"]);
    place.ok(&["fold-in", "m.gage", "new", "--append", "-o", "more.gage"]);
    place.fails(4, &["certify", "more.gage", "data"]);
    assert!(!place.path("x.gage").exists());
}
