//! `gage embed`: options, determinism, checkpoints.

use crate::support::{NODES, Place, assert_same};

#[test]
fn one_line_makes_an_embedding_with_ids() {
    let place = Place::new();
    let report = place.json(&["embed", "data", "-o", "e.npy", "--directed", "no"]);
    assert_eq!(report["nodes"], NODES);
    // 128 columns were not requested, so a small graph gets as many as it can have.
    assert_eq!(report["columns"], NODES);
    assert_eq!(report["outputs"], serde_json::json!(["e.npy", "e.ids.txt"]));
    let names: Vec<&str> =
        report["views"].as_array().unwrap().iter().map(|v| v["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["links", "attributes", "walks", "far"]);
    let ids = place.text("e.ids.txt");
    assert_eq!(ids.lines().next(), Some("n0"));
    assert_eq!(ids.lines().count(), NODES);
    assert_eq!(place.names(), ["data", "e.ids.txt", "e.npy"]);
}

#[test]
fn separate_files_give_what_the_folder_gives() {
    let place = Place::new();
    place.ok(&["embed", "data", "-o", "a.npy", "--dim", "8", "--directed", "no"]);
    let files = ["--graph", "data/edges.csv", "--attributes", "data/attributes.csv"];
    let rest = ["-o", "b.npy", "--dim", "8", "--directed", "no"];
    place.ok(&[&["embed"][..], &files, &rest].concat());
    assert_same(&place, "a.npy", "b.npy");
}

#[test]
fn threads_do_not_change_a_bit() {
    let place = Place::new();
    for threads in ["1", "2"] {
        let out = format!("t{threads}.npy");
        place.ok(&["embed", "data", "-o", &out, "--dim", "8", "--threads", threads, "--certify"]);
    }
    assert_same(&place, "t1.npy", "t2.npy");
}

#[test]
fn options_reach_the_fit() {
    let place = Place::new();
    let base = ["embed", "data", "-o", "e.npz", "--directed", "no"];
    let with = |more: &[&str]| place.json(&[&base[..], more].concat());
    assert_eq!(with(&["--dim", "5"])["columns"], 5);
    let auto = with(&["--dim", "auto:0.5"])["columns"].as_u64().unwrap();
    let more = with(&["--dim", "auto:0.95"])["columns"].as_u64().unwrap();
    assert!(auto >= 1 && auto < more && more <= NODES as u64, "{auto} {more}");
    assert_eq!(with(&["--dim", "4", "--precision", "f64"])["precision"], "f64");
    let paper = with(&["--dim", "4", "--preset", "paper"]);
    assert_eq!(paper["views"].as_array().unwrap().len(), 2);
    let weighted = with(&["--dim", "4", "--weights", "1,0.5,0.25,1", "--shares", "1,1,2,0"]);
    assert_eq!(weighted["views"][1]["weight"], 0.5);
    assert_eq!(weighted["views"][2]["share"], 0.5);
    let plain = with(&["--dim", "4"])["relative_loss"].as_f64().unwrap();
    let refined = with(&["--dim", "4", "--refine"])["relative_loss"].as_f64().unwrap();
    assert!(refined <= plain + 1e-9, "{refined} after {plain}");
    let certified = with(&["--dim", "4", "--certify"]);
    assert_eq!(certified["certificate"]["views"].as_array().unwrap().len(), 4);
}

#[test]
fn directions_make_views() {
    let place = Place::new();
    let views = |directed: &[&str]| -> Vec<String> {
        let args = [&["embed", "data", "-o", "e.npy", "--dim", "4"][..], directed].concat();
        let report = place.json(&args);
        let views = report["views"].as_array().unwrap().iter();
        views.map(|view| view["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(views(&["--directed", "both"])[..2], ["links-out", "links-in"]);
    assert_eq!(views(&["--directed", "in"])[0], "links");
    // An edge list does not say whether links have a direction: they have none, and the person is
    // told.
    let output = place.run(&["embed", "data", "-o", "e.npy", "--dim", "4"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("note: data/edges.csv: its links are read as undirected"), "{text}");
    // A matrix does say it.
    place.ok(&["convert", "data", "arcs.npz", "--directed", "out"]);
    let output = place.run(&["embed", "arcs.npz", "-o", "e.npy", "--dim", "4"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("warning: the links are not symmetric"), "{text}");
    let output = place.run(&["embed", "data", "-o", "e.npy", "--dim", "4", "--quiet"]);
    assert!(output.stderr.is_empty() && output.stdout.is_empty());
}

#[test]
fn further_views_are_named() {
    let place = Place::new();
    place.write("more.csv", &crate::support::words(0..NODES));
    let report = place.json(&[
        "embed",
        "data",
        "--view",
        "extra=more.csv",
        "-o",
        "e.npy",
        "--dim",
        "4",
        "--directed",
        "no",
    ]);
    let last = report["views"].as_array().unwrap().last().unwrap();
    assert_eq!(last["name"], "extra");
}

#[test]
fn a_finished_fit_resumes_to_the_same_bits() {
    let place = Place::new();
    let run = |out: &str, more: &[&str]| {
        let base = [
            "embed",
            "data",
            "--checkpoint",
            "points",
            "--dim",
            "6",
            "--directed",
            "no",
            "-o",
            out,
        ];
        place.json(&[&base[..], more].concat())["resumed"].as_bool().unwrap()
    };
    assert!(!run("a.npy", &[]));
    assert!(run("b.npy", &[]));
    assert_same(&place, "a.npy", "b.npy");
    // Shares are applied after the fit, so they resume too; the same bits as without a checkpoint.
    assert!(run("c.npy", &["--lambda", "0.3"]));
    place.ok(&[
        "embed",
        "data",
        "--dim",
        "6",
        "--directed",
        "no",
        "--lambda",
        "0.3",
        "-o",
        "d.npy",
    ]);
    assert_same(&place, "c.npy", "d.npy");
    // Another seed, or other data, is another run.
    assert!(!run("e.npy", &["--seed", "1"]));
    place.write("data/edges.csv", &format!("{}n3,n4\nn70,n9\n", crate::support::edges(NODES)));
    assert!(!run("f.npy", &[]));
}
