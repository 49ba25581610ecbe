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
