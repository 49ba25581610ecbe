//! The report of the paper's experiments, from the command line to its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::schema;
use crate::support::{Place, assert_balanced, dataset, interrupt, list, wait_for};

/// With a generated data set under a name of the paper: numbers mean nothing, everything else is as
/// with the real one.
fn made_up(name: &str) -> Place {
    let place = Place::empty();
    let sizes = ["--nodes", "260", "--attributes", "200", "--classes", "4"];
    place.ok(&[&["generate", "-o", &format!("data/{name}")][..], &sizes].concat());
    place
}

/// Runs the report on one data set with presets that need no search, and no other methods; returns
/// what the command says as JSON.
fn reproduce(place: &Place, data: &str, name: &str, more: &[&str]) -> Value {
    reproduce_with(place, data, name, &[&["--methods", "none"], more].concat())
}

fn reproduce_with(place: &Place, data: &str, name: &str, more: &[&str]) -> Value {
    let presets = ["--presets", "paper,balanced", "--link-presets", "paper,balanced"];
    let args = ["reproduce", data, "-o", "report", "--quick", "--datasets", name];
    let printed = place.ok(&[&args[..], &presets, more, &["--json"]].concat());
    schema::check(&printed, "reproduce");
    serde_json::from_str(&printed).unwrap()
}

fn written(place: &Place, extension: &str) -> String {
    place.text(&format!("report/report.{extension}"))
}

fn json(place: &Place) -> Value {
    serde_json::from_str(&written(place, "json")).unwrap()
}

/// The part whose name begins so.
fn part(place: &Place, prefix: &str) -> PathBuf {
    let folder = place.path("report/parts");
    let found = list(&folder).into_iter().find(|name| name.starts_with(prefix));
    folder.join(found.unwrap_or_else(|| panic!("no part {prefix}")))
}

fn table<'a>(report: &'a Value, id: &str) -> &'a Value {
    let tables = report["tables"].as_array().unwrap();
    tables.iter().find(|table| table["id"] == id).unwrap_or_else(|| panic!("no table {id}"))
}

fn row<'a>(table: &'a Value, name: &str) -> &'a Value {
    let rows = table["rows"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no row {name}"))
}

/// Everything a page needs is in it, and what is opened is closed.
fn assert_page(html: &str) {
    assert_balanced(html);
    for outside in ["<script", "<link", "src=", "@import", "href="] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.contains("prefers-color-scheme: dark") && html.contains("name=\"viewport\""));
}

#[test]
fn webkb_again_beside_its_published_numbers() {
    let Some(webkb) = dataset("webkb") else { return };
    let place = Place::empty();
    let root = Path::new(&webkb).parent().unwrap().to_str().unwrap();
    let said = reproduce(&place, root, "webkb", &[]);
    assert_eq!((&said["units"], &said["resumed"]), (&9.into(), &0.into()));

    let report = json(&place);
    let data = table(&report, "data");
    let counts = |name: &str| row(data, name)["cells"].as_array().unwrap()[1]["value"].clone();
    assert_eq!(counts("WebKB, the files"), counts("WebKB, the paper"));
    let classes = table(&report, "classify-webkb-64");
    assert_eq!(classes["rows"].as_array().unwrap().len(), 9 + 2);
    assert_eq!(row(classes, "GAGE")["cells"][0]["value"], 0.8852);
    let ours = row(classes, "gage paper")["cells"][2]["value"].as_f64().unwrap();
    assert!(ours > 0.8 && ours < 0.9, "{ours}");
    assert_eq!(row(table(&report, "links"), "DANE")["cells"][0]["best"], true);
    assert!(row(table(&report, "time"), "gage paper")["cells"][0]["value"].as_f64().unwrap() > 0.0);
    let figures = report["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 2);
    assert_eq!(figures[0]["panels"][0]["fits"], 1);
    assert_eq!(figures[0]["panels"][0]["lambdas"].as_array().unwrap().len(), 11);
    // The figure and the table measure the same thing at the lambda of the preset.
    let at = &figures[0]["panels"][0]["series"][1]["values"][8]["mean"];
    assert!((at.as_f64().unwrap() - ours).abs() < 1e-6, "{at} {ours}");
    let standing = &report["standings"].as_array().unwrap()[0];
    assert_eq!((&standing["preset"], &standing["cells"]), (&"paper".into(), &6.into()));

    // Nothing says where the data was.
    let (html, text) = (written(&place, "html"), written(&place, "md"));
    for file in [&html, &text, &written(&place, "json")] {
        assert!(!file.contains(root));
    }
    assert_page(&html);
    assert_eq!(html.matches("<svg").count(), 3);
    for part in
        ["Data sets (Table 2)", "WebKB, 64 columns", "Link prediction", "Running time", "DANE"]
    {
        assert!(html.contains(part) && text.contains(part), "{part}");
    }
}

#[test]
fn finished_parts_are_used_and_damaged_ones_are_not() {
    let place = made_up("webkb");
    let only = ["--only", "tables,links,figures"];
    reproduce(&place, "data", "webkb", &only);
    let first = ["html", "json", "md"].map(|extension| written(&place, extension));
    let same = |again: &Place, resumed: usize| {
        let said = reproduce(again, "data", "webkb", &only);
        assert_eq!((&said["units"], &said["resumed"]), (&7.into(), &resumed.into()));
        assert_eq!(["html", "json", "md"].map(|extension| written(again, extension)), first);
    };
    same(&place, 7);
    fs::remove_file(part(&place, "classify-webkb-balanced")).unwrap();
    same(&place, 6);

    // One digit of a number, then half of the file.
    let part = part(&place, "links-webkb-paper");
    let text = fs::read_to_string(&part).unwrap();
    let at = text.find("\"mean\":0.").unwrap() + 9;
    let digit = if &text[at..=at] == "1" { "2" } else { "1" };
    fs::write(&part, format!("{}{digit}{}", &text[..at], &text[at + 1..])).unwrap();
    same(&place, 6);
    fs::write(&part, &text[..text.len() / 2]).unwrap();
    same(&place, 6);

    // Another seed is another unit; counts have none.
    let said = reproduce(&place, "data", "webkb", &[&only[..], &["--seed", "5"]].concat());
    assert_eq!(said["resumed"], 1);
    assert_ne!(written(&place, "json"), first[1]);
    // Parts of other seeds do not get in the way, and can be ignored.
    same(&place, 7);
    let said = reproduce(&place, "data", "webkb", &[&only[..], &["--fresh"]].concat());
    assert_eq!(said["resumed"], 0);
    assert_eq!(written(&place, "json"), first[1]);
    // Other data is another unit, whatever its name.
    place.ok(&["generate", "-o", "data/wiki", "--nodes", "200", "--seed", "3"]);
    fs::remove_dir_all(place.path("data/webkb")).unwrap();
    fs::rename(place.path("data/wiki"), place.path("data/webkb")).unwrap();
    assert_eq!(reproduce(&place, "data", "webkb", &only)["resumed"], 0);
}

#[cfg(unix)]
#[test]
fn a_stopped_run_keeps_what_is_finished() {
    let place = made_up("webkb");
    let presets = ["--presets", "paper,balanced", "--link-presets", "paper,balanced"];
    let args = ["reproduce", "data", "-o", "report", "--datasets", "webkb", "--methods", "none"];
    let args = [&args[..], &presets].concat();
    let mut run = place.command(&args).stderr(Stdio::piped()).spawn().unwrap();
    let parts = || fs::read_dir(place.path("report/parts")).map_or(0, Iterator::count);
    wait_for(&mut run, "two finished parts", || parts() >= 2);
    interrupt(&run);
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("report/parts"), "{said}");
    assert!(!place.path("report/report.json").exists());
    // What is there is whole, and used.
    let kept = parts();
    let said = place.json(&args);
    assert_eq!(said["resumed"], kept);
    assert_eq!(said["units"], 11);
}

#[test]
fn defaults_are_compared_with_baselines() {
    let place = made_up("webkb");
    let said = reproduce(&place, "data", "webkb", &["--only", "defaults"]);
    assert_eq!(said["units"], 8);
    let report = json(&place);
    let tables = report["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 4);
    for method in
        ["gage paper", "gage balanced", "svd", "ssgc", "pane", "tadw", "tpine", "deepwalk"]
    {
        let cells = row(&tables[0], method)["cells"].as_array().unwrap();
        // One data set, and two means of it.
        assert_eq!(cells.len(), 3, "{method}");
        assert_eq!(cells[0]["value"], cells[2]["value"], "{method}");
    }
    assert_page(&written(&place, "html"));
    assert_eq!(reproduce(&place, "data", "webkb", &["--only", "defaults"])["resumed"], 8);
}

#[test]
fn methods_of_the_paper_are_run_beside_their_published_numbers() {
    let place = made_up("webkb");
    let only = ["--only", "tables,links,time", "--methods", "tadw,tpine"];
    let said = reproduce_with(&place, "data", "webkb", &only);
    // Counts, two presets and two methods classified and linked, and the time of both presets.
    assert_eq!(said["units"], 1 + 4 + 4 + 2);
    // Six scores and two link scores each; generated data agree with nothing.
    assert_eq!(said["cells_of_methods"], 2 * (6 + 2));
    assert!(said["differences_of_methods"].as_u64().unwrap() > 0);
    let report = json(&place);
    for name in ["TADW, run here", "TADW, run here, scaled", "T-PINE, run here"] {
        let cells = row(table(&report, "classify-webkb-64"), name)["cells"].as_array().unwrap();
        let score = cells[2]["value"].as_f64().unwrap();
        assert!(score > 0.2 && score <= 1.0, "{name}: {score}");
    }
    let links = row(table(&report, "links"), "TADW, run here")["cells"][0]["value"].clone();
    assert!(links.as_f64().unwrap() > 0.4, "{links}");
    let differences = report["differences"].as_array().unwrap();
    let own = |found: &&Value| found["method"] == "TADW";
    assert!(differences.iter().filter(own).all(|found| found["reason"] != ""));
    let (html, text) = (written(&place, "html"), written(&place, "md"));
    assert_page(&html);
    assert!(html.contains("T-PINE, run here") && text.contains("T-PINE, run here"));
    assert_eq!(reproduce_with(&place, "data", "webkb", &only)["resumed"], 11);
    let (said, help) = place.fails(2, &["reproduce", "data", "--methods", "svd"]);
    assert!(said.contains("`svd`") && said.contains("dane") && help.contains("none"), "{said}");
}

#[test]
fn what_is_missing_is_named_before_any_work() {
    let place = made_up("webkb");
    let paper = ["--presets", "paper", "--link-presets", "paper"];
    let fails = |code, args: &[&str]| place.fails(code, &[&["reproduce", "data"], args].concat());
    let (said, help) = fails(3, &paper);
    assert!(said.contains("wiki: found no such folder"), "{said}");
    assert!(help.contains("wiki, webkb, blogcatalog"), "{help}");
    fs::remove_file(place.path("data/webkb/features.npz")).unwrap();
    let (said, _) = fails(3, &[&["--datasets", "webkb"][..], &paper].concat());
    assert!(said.contains("webkb: found no features.npz"), "{said}");
    let (said, _) = fails(2, &["--presets", "unheard-of"]);
    assert!(said.contains("there is no preset `unheard-of`"), "{said}");
    fails(2, &[&["--datasets", "cora"][..], &paper].concat());
    assert!(!place.path("report").exists());
}
