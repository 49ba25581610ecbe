//! `gage index`, and `gage similar` with it.

use serde_json::Value;

use crate::support::{NODES, Place, assert_same};

/// An embedding of clusters as `.npy`, without names.
fn write_npy(place: &Place, name: &str, rows: usize, columns: usize) {
    let mut header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    header.push_str(&" ".repeat(117 - header.len()));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    let mut state = 7u32;
    for row in 0..rows {
        for column in 0..columns {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let centre =
                (row * 31 % 700 * (column + 3) * 2_654_435_761 % 1000) as f32 / 500.0 - 1.0;
            let value = centre + 0.2 * (state >> 8) as f32 / (1 << 24) as f32;
            bytes.extend(value.to_le_bytes());
        }
    }
    std::fs::write(place.path(name), bytes).unwrap();
}

fn ids(report: &Value) -> Vec<String> {
    let near = report["nodes"][0]["neighbours"].as_array().unwrap();
    near.iter().map(|n| n["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_index_is_extended_by_appended_nodes() {
    let place = Place::with_model();
    place.ok(&["index", "m.gage", "--metric", "distance", "-o", "old.index"]);
    place.write("new.csv", "source,target\nfresh,n3\nfresh,n5\nother,n4\nother,n6\n");
    place.ok(&["fold-in", "m.gage", "--graph", "new.csv", "--append", "-o", "more.gage"]);
    let built = place.json(&["index", "more.gage", "--extend", "old.index"]);
    assert_eq!(
        (&built["nodes"], &built["output"]),
        (&(NODES + 2).into(), &"more.gage.distance.index".into())
    );
    let ask = |node: &'static str, how: &[&'static str]| {
        let args = [&["similar", "more.gage", node, "-k", "5", "--metric", "distance"], how];
        place.json(&args.concat())["nodes"].clone()
    };
    // With so few rows all lists are read.
    for node in ["n0", "fresh", "other"] {
        let index = ["--index", "more.gage.distance.index"];
        let (found, exact) = (ask(node, &index), ask(node, &["--exact"]));
        assert_eq!(
            ids(&serde_json::json!({"nodes": found})),
            ids(&serde_json::json!({"nodes": exact}))
        );
    }
    let (error, _) = place
        .fails(4, &["similar", "more.gage", "n0", "--index", "old.index", "--metric", "distance"]);
    assert!(error.contains("another file"), "{error}");
    // An index of another model, of other shares, or one that would have to shrink.
    place.ok(&[
        "embed", "data", "--dim", "8", "--preset", "paper", "-o", "x.npy", "--model", "x.gage",
    ]);
    let extend = |model: &'static str, more: &[&'static str]| {
        place
            .fails(4, &[&["index", model, "--extend", "old.index", "-o", "y.index"], more].concat())
    };
    for (error, _) in [extend("x.gage", &[]), extend("more.gage", &["--lambda", "0.3"])] {
        assert!(error.contains("made from another model"), "{error}");
    }
    let output = place.run(&["index", "more.gage", "--extend", "old.index", "--recall", "0.5"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn large_embeddings_are_searched_by_the_index_beside_them() {
    let place = Place::empty();
    write_npy(&place, "v.npy", 100_000, 8);
    let output = place.run(&["similar", "v.npy", "500", "-k", "3"]);
    let note = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && note.contains("`gage index v.npy`"), "{note}");
    let built = place.json(&["index", "v.npy"]);
    assert_eq!(built["output"], "v.npy.index");
    assert!(built["recall"][0]["recall"].as_f64().unwrap() >= 0.93, "{built}");
    assert_eq!(place.names(), ["v.npy", "v.npy.index"]);

    let text = place.ok(&["similar", "v.npy", "500", "-k", "3"]);
    assert!(
        text.contains("approximate, recall 0.9") || text.contains("approximate, recall 1.0"),
        "{text}"
    );
    assert!(text.contains("measured on 200 nodes"), "{text}");
    let (mut hits, mut all) = (0, 0);
    for node in ["0", "500", "4711", "99999"] {
        let found = place.json(&["similar", "v.npy", node]);
        assert_eq!(found["search"]["exact"], false);
        assert_eq!(found["search"]["index"], "v.npy.index");
        assert_eq!(found["search"]["recall"], built["recall"][0]["recall"]);
        assert_eq!(found["search"]["recall_nodes"], 200);
        let exact = place.json(&["similar", "v.npy", node, "--exact"]);
        assert_eq!(exact["search"]["exact"], true);
        assert!(exact["search"]["index"].is_null() && exact["search"]["recall"].is_null());
        let truth = ids(&exact);
        hits += ids(&found).iter().filter(|id| truth.contains(id)).count();
        all += truth.len();
    }
    assert!(hits * 10 >= all * 8, "{hits} of {all}");
    // More neighbours than the index is tuned for: all of it is read.
    let found = place.json(&["similar", "v.npy", "500", "-k", "150"]);
    assert_eq!(found["search"]["exact"], true);
    assert_eq!(ids(&found), ids(&place.json(&["similar", "v.npy", "500", "-k", "150", "--exact"])));
    let (error, help) = place.fails(4, &["similar", "v.npy", "100000"]);
    assert!(error.contains("100000") && help.contains("from 0 to 99999"), "{error} {help}");

    // Another embedding under the same name: the index is left alone, and the answer is right.
    write_npy(&place, "w.npy", 100_001, 8);
    std::fs::rename(place.path("w.npy"), place.path("v.npy")).unwrap();
    let output = place.run(&["similar", "v.npy", "500", "-k", "3"]);
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && warning.contains("warning: the index is not used"),
        "{warning}"
    );
    assert!(warning.contains("made from another file"), "{warning}");
    let (error, help) = place.fails(4, &["similar", "v.npy", "500", "--index", "v.npy.index"]);
    assert!(error.contains("v.npy.index: was made from another file"), "{error}");
    assert!(help.contains("gage index"), "{help}");
}

#[test]
fn small_models_are_scanned_unless_an_index_is_named() {
    let place = Place::with_model();
    let scan = place.json(&["similar", "m.gage", "n3", "-k", "5"]);
    let text = place.ok(&["index", "m.gage"]);
    assert!(text.contains("recall") && text.contains("wrote m.gage.index"), "{text}");
    assert_eq!(place.json(&["similar", "m.gage", "n3", "-k", "5"]), scan);
    let found = place.json(&["similar", "m.gage", "n3", "-k", "200", "--index", "m.gage.index"]);
    let all = place.json(&["similar", "m.gage", "n3", "-k", "200"]);
    assert_eq!(ids(&found).len(), NODES - 1);
    assert_eq!((&found["views"], &found["shares"]), (&all["views"], &all["shares"]));
    let rows = |report: &Value| report["nodes"][0]["neighbours"].as_array().unwrap().clone();
    for (a, b) in rows(&found).iter().zip(&rows(&all)) {
        assert!((a["value"].as_f64().unwrap() - b["value"].as_f64().unwrap()).abs() < 1e-5);
        assert_eq!(a["by_view"].as_array().unwrap().len(), 4);
    }
    let (error, help) = place.fails(4, &["similar", "m.gage", "N7x", "--index", "m.gage.index"]);
    assert!(error.contains("`N7x`") && help.contains("`n7`"), "{error} {help}");
}

#[test]
fn an_index_serves_one_question() {
    let place = Place::with_model();
    place.ok(&["index", "m.gage", "--lambda", "0.3"]);
    place.ok(&["index", "m.gage", "--metric", "distance"]);
    let names = place.names();
    for name in ["m.gage.lambda-0.3.index", "m.gage.distance.index"] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
    let near = ["similar", "m.gage", "n3", "--index"];
    let with = |rest: &[&'static str]| [&near[..], rest].concat();
    place.ok(&with(&["m.gage.lambda-0.3.index", "--lambda", "0.3"]));
    place.ok(&with(&["m.gage.distance.index", "--metric", "distance"]));
    let (error, help) = place.fails(4, &with(&["m.gage.lambda-0.3.index"]));
    assert!(error.contains("other shares") && help.contains("gage index"), "{error} {help}");
    let (error, _) = place.fails(4, &with(&["m.gage.distance.index"]));
    assert!(error.contains("another --metric"), "{error}");
    place.ok(&["index", "e.npy", "-o", "e.index"]);
    let (error, _) = place.fails(4, &with(&["e.index"]));
    assert!(error.contains("made from another file"), "{error}");
    place.fails(2, &["index", "e.npy", "--lambda", "0.5"]);
    place.fails(2, &["index", "m.gage", "--recall", "1.5"]);
    assert_eq!(place.run(&with(&["e.index", "--exact"])).status.code(), Some(2));
    place.fails(3, &["index", "none.npy"]);
    place.fails(5, &["index", "m.gage", "-o", "m.gage"]);
}

#[test]
fn an_index_is_the_same_at_any_number_of_threads_and_damage_is_told() {
    let place = Place::with_model();
    place.ok(&["index", "m.gage", "--threads", "1", "-o", "a.index"]);
    place.ok(&["index", "m.gage", "--threads", "4", "-o", "b.index"]);
    assert_same(&place, "a.index", "b.index");
    let good = place.bytes("a.index");
    let near = ["similar", "m.gage", "n3", "--index", "bad.index"];
    let mut damaged = good.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 200].iter_mut().for_each(|byte| *byte ^= 0x55);
    for bytes in [&damaged[..], &good[..good.len() - 1], &good[..30]] {
        std::fs::write(place.path("bad.index"), bytes).unwrap();
        let (error, help) = place.fails(3, &near);
        assert!(error.contains("bad.index: is damaged") && help.contains("gage index"), "{error}");
    }
    for bytes in [&b""[..], b"{}", &place.bytes("m.gage")] {
        std::fs::write(place.path("bad.index"), bytes).unwrap();
        let (error, _) = place.fails(3, &near);
        assert!(error.contains("is not an index"), "{error}");
    }
    place.fails(3, &["similar", "m.gage", "n3", "--index", "none.index"]);
}

/// Ids with blanks, quotes and other scripts, found in the index.
#[test]
fn odd_ids_are_found_in_the_index() {
    let place = Place::empty();
    let ids = ["a b", "\"q\"", "日本", "é", "x,y", "-"];
    let rows: Vec<String> = (0..6).map(|i| format!("{}\t{}\t{}", ids[i], i + 1, 6 - i)).collect();
    place.write(
        "e.tsv",
        &format!("id\te0\te1\n{}\n", rows.join("\n").replace("\"q\"", "\"\"\"q\"\"\"")),
    );
    place.ok(&["index", "e.tsv", "-o", "e.index"]);
    for id in ids {
        let report = place.json(&["similar", "e.tsv", id, "--index", "e.index", "-k", "2"]);
        assert_eq!(report["nodes"][0]["node"], id);
        assert_eq!(report["nodes"][0]["neighbours"].as_array().unwrap().len(), 2);
    }
}
