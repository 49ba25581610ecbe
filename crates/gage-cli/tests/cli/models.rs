//! What a model is good for: reweight, similar, certify.

use crate::support::{NODES, Place, assert_same};

#[test]
fn reweight_needs_no_data_and_gives_what_embed_gives() {
    let place = Place::with_model();
    place.ok(&[
        "embed",
        "data",
        "--directed",
        "no",
        "--dim",
        "8",
        "--lambda",
        "0.3",
        "-o",
        "a.npy",
    ]);
    std::fs::remove_dir_all(place.path("data")).unwrap();
    let report = place.json(&["reweight", "m.gage", "--lambda", "0.3", "-o", "b.npy"]);
    assert_same(&place, "a.npy", "b.npy");
    assert_ne!(place.bytes("b.npy"), place.bytes("e.npy"));
    let shares: f64 =
        report["views"].as_array().unwrap().iter().map(|v| v["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-12);
    place.ok(&["reweight", "m.gage", "-o", "c.npy"]);
    assert_same(&place, "c.npy", "e.npy");
}

#[test]
fn similar_explains_itself() {
    let place = Place::with_model();
    let report = place.json(&["similar", "m.gage", "n3", "n10", "-k", "5"]);
    assert_eq!(report["views"], serde_json::json!(["links", "attributes", "walks", "far"]));
    for (found, node) in report["nodes"].as_array().unwrap().iter().zip(["n3", "n10"]) {
        assert_eq!(found["node"], node);
        let near = found["neighbours"].as_array().unwrap();
        assert_eq!(near.len(), 5);
        let mut last = f64::INFINITY;
        for neighbour in near {
            assert_ne!(neighbour["id"], node);
            let value = neighbour["value"].as_f64().unwrap();
            let parts = neighbour["by_view"].as_array().unwrap().iter();
            let sum: f64 = parts.map(|part| part.as_f64().unwrap()).sum();
            assert!((sum - value).abs() < 1e-9 && value <= last && value <= 1.0 + 1e-9);
            last = value;
        }
    }
    let text = place.ok(&["similar", "m.gage", "n3", "-k", "2"]);
    assert!(text.contains("near n3") && text.contains("from far"), "{text}");
}

/// The command's neighbours against brute force over the written embedding.
#[test]
fn similar_agrees_with_the_embedding_file() {
    let place = Place::with_model();
    for (metric, lambda) in [("cosine", "0.8"), ("distance", "0.2")] {
        place.ok(&["reweight", "m.gage", "--lambda", lambda, "-o", "x.tsv"]);
        let table = place.text("x.tsv");
        let rows: Vec<Vec<f64>> = table
            .lines()
            .skip(1)
            .map(|line| line.split('\t').skip(1).map(|x| x.parse().unwrap()).collect())
            .collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let own = &rows[7];
        let value = |row: &Vec<f64>| match metric {
            "cosine" => dot(own, row) / (dot(own, own) * dot(row, row)).sqrt(),
            _ => own.iter().zip(row).map(|(x, y)| (x - y).powi(2)).sum(),
        };
        let report = place
            .json(&["similar", "m.gage", "n7", "-k", "79", "--metric", metric, "--lambda", lambda]);
        let found = report["nodes"][0]["neighbours"].as_array().unwrap();
        assert_eq!(found.len(), NODES - 1);
        for neighbour in found {
            let id: usize = neighbour["id"].as_str().unwrap()[1..].parse().unwrap();
            let (expected, got) = (value(&rows[id]), neighbour["value"].as_f64().unwrap());
            assert!(
                (expected - got).abs() < 1e-4 * expected.abs().max(1.0),
                "{metric} n{id}: {expected} {got}"
            );
        }
    }
}

#[test]
fn unknown_nodes_get_suggestions() {
    let place = Place::with_model();
    let (error, help) = place.fails(4, &["similar", "m.gage", "N7x"]);
    assert!(error.contains("`N7x`") && error.contains("80 nodes"), "{error}");
    assert!(help.contains("`n7`"), "{help}");
}

#[test]
fn certify_measures_the_model_against_its_data() {
    let place = Place::with_model();
    let report = place.json(&["certify", "m.gage", "data", "-o", "certified.gage"]);
    let views = report["views"].as_array().unwrap();
    assert_eq!(views.len(), 4);
    for view in views {
        let (loss, least) = (view["loss"].as_f64().unwrap(), view["least_loss"].as_f64().unwrap());
        assert!(loss >= least - 1e-6 && loss <= 1.0 + 1e-6, "{view}");
        assert_eq!(view["all_pairs"], true);
    }
    // The same numbers as a certificate made together with the fit.
    let fit = place.json(&[
        "embed",
        "data",
        "--directed",
        "no",
        "--dim",
        "8",
        "--certify",
        "-o",
        "x.npy",
    ]);
    for (a, b) in fit["certificate"]["views"].as_array().unwrap().iter().zip(views) {
        let (a, b) = (
            a["distance_error"]["value"].as_f64().unwrap(),
            b["distance_error"]["value"].as_f64().unwrap(),
        );
        assert!((a - b).abs() < 1e-3 * a.max(1e-3), "{a} {b}");
    }
    assert!(place.json(&["info", "certified.gage"])["certificate"].is_object());
    place.write("other/edges.csv", &crate::support::edges(40));
    let (error, _) = place.fails(4, &["certify", "m.gage", "other"]);
    assert!(error.contains("38 nodes in the first and 80 in the second"), "{error}");
}
