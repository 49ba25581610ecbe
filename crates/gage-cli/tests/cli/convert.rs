//! `gage convert` of data sets and graphs.

use crate::support::{NODES, Place, assert_same};

#[test]
fn a_data_set_becomes_a_folder_that_embeds_alike() {
    let place = Place::new();
    place.write("data/labels.csv", "id,label\nn0,a\nn1,b\n");
    place.ok(&["convert", "data", "folder", "--directed", "no"]);
    assert_eq!(place.text("folder/nodes.txt").lines().count(), NODES);
    assert_eq!(place.json(&["info", "folder"])["labels"]["labelled_nodes"], 2);
    place.ok(&["embed", "data", "--directed", "no", "--dim", "8", "-o", "a.npy"]);
    place.ok(&["embed", "folder", "--zero-rows", "missing", "--dim", "8", "-o", "b.npy"]);
    assert_same(&place, "a.npy", "b.npy");
    assert_same(&place, "a.ids.txt", "b.ids.txt");
    // Converting again gives the same files.
    place.ok(&["convert", "folder", "again"]);
    for file in ["adj.npz", "nodes.txt", "labels.npy"] {
        assert_same(&place, &format!("folder/{file}"), &format!("again/{file}"));
    }
}

#[test]
fn links_go_round_through_all_formats() {
    let place = Place::new();
    place.write("e.csv", &crate::support::edges(NODES));
    let first = ["convert", "e.csv", "a.npz", "--directed", "no"];
    place.ok(&first);
    place.ok(&["convert", "a.npz", "b.mtx"]);
    place.ok(&["convert", "b.mtx", "c.npz"]);
    assert_same(&place, "a.npz", "c.npz");
    // The names travel beside matrices.
    assert_eq!(
        place.text("a.ids.txt").lines().count(),
        place.json(&["info", "a.npz"])["nodes"].as_u64().unwrap() as usize
    );
    place.ok(&["convert", "e.csv", "d.tsv", "--directed", "no"]);
    place.ok(&["convert", "d.tsv", "f.npz", "--directed", "no"]);
    let entries = |file: &str| place.json(&["info", file])["blocks"][0]["entries"].clone();
    assert_eq!(entries("a.npz"), entries("f.npz"));
}

#[test]
fn what_cannot_be_converted_is_refused() {
    let place = Place::new();
    place.fails(2, &["convert", "data", "x.docx"]);
    place.fails(3, &["convert", "nothing.csv", "x.npz"]);
    let (error, _) = place.fails(5, &["convert", "data/edges.csv", "data/edges.csv"]);
    assert!(error.contains("input"), "{error}");
    assert_eq!(place.names(), ["data"]);
}
