//! The demo: a story, a page, a model and a data set.

use serde_json::Value;

use crate::schema;
use crate::support::{Place, assert_balanced, list};

/// The best micro F1 of an embedding at one share of training packages.
fn micro(report: &Value, embedding: &str, train: f64) -> f64 {
    let scores = report["scores"].as_array().unwrap().iter();
    let of = scores.filter(|s| s["embedding"] == embedding && s["train"] == train);
    of.map(|score| score["micro_f1"]["mean"].as_f64().unwrap()).fold(0.0, f64::max)
}

#[test]
fn the_demo_runs_and_its_numbers_make_sense() {
    let place = Place::empty();
    let printed = place.ok(&["demo", "-o", "out", "--json"]);
    schema::check(&printed, "demo");
    let report: Value = serde_json::from_str(&printed).unwrap();
    for path in report["outputs"].as_array().unwrap() {
        assert!(place.path(path.as_str().unwrap()).is_file(), "{path}");
    }

    // Files: the page, the model, the data, nothing half-written.
    assert_eq!(list(&place.path("out")), ["debian", "debian.gage", "index.html"]);
    let model = place.json(&["info", "out/debian.gage"]);
    assert_eq!((&model["nodes"], &model["columns"]), (&3824.into(), &128.into()));
    let data = place.json(&["info", "out/debian"]);
    assert!(data["warnings"].as_array().unwrap().is_empty());
    assert_eq!(data["labels"]["classes"], 25);

    // The page stands alone.
    let page = place.text("out/index.html");
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    assert!(page.contains("<meta charset=\"utf-8\">") && page.contains("<title>Debian packages"));
    // The name of SVG is an address of nothing.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside} in the page");
    }
    assert_balanced(&page);

    // Numbers.
    let number = |value: &Value| value.as_f64().unwrap();
    let views = report["certificate"]["views"].as_array().unwrap();
    assert!(views.len() == 2 && number(&report["passes"]) > 0.0);
    for view in views {
        let error = number(&view["distance_error"]["value"]);
        assert!(error > 0.0 && error < 1.0);
        assert!(number(&view["least_loss"]) <= number(&view["loss"]) + 1e-3);
        assert!(number(&view["loss"]) < 1.0);
    }
    let chance = number(&report["chance"]);
    for train in [0.5, 0.1] {
        let [links, words, both] =
            ["links alone", "words alone", "both"].map(|name| micro(&report, name, train));
        assert!(links > 3.0 * chance && words > 3.0 * chance);
        // Not only better than the worse of the two: better than either.
        assert!(both > links.max(words), "{report}");
    }
    for story in report["stories"].as_array().unwrap() {
        for found in story["similar"].as_array().unwrap() {
            let cosines: Vec<f64> =
                found.as_array().unwrap().iter().map(|pair| number(&pair[1])).collect();
            assert!(cosines.len() == 6 && cosines.is_sorted_by(|a, b| a >= b));
        }
    }
}

#[test]
fn the_demo_tells_what_it_does() {
    let place = Place::empty();
    let told = place.ok(&["demo"]);
    for part in ["3,824", "links alone", "words alone", "both, λ = 0.5", "like gimp", "index.html"]
    {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
    assert_eq!(place.ok(&["demo", "--quiet"]), "");
    place.write("taken/index.html/file", "");
    place.fails(5, &["demo", "-o", "taken"]);
    assert_eq!(list(&place.path("taken")), ["debian", "index.html"]);
}
