//! The rules by which columns are read: every case of `corpus/readings.json`, which the command and
//! the Python package run, too.

use gage_embed::io::{Dataset, DatasetSpec, Reading, Role, load};
use serde_json::Value;

use crate::support::write;

const CASES: &str = include_str!("../corpus/readings.json");

fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(|text| Some(text.as_str()?.to_owned())).collect()
}

fn read(case: &Value) -> Result<Dataset, String> {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut spec = DatasetSpec::default();
    for (part, lines) in case["files"].as_object().expect("files") {
        let path = write(folder.path(), &format!("{part}.csv"), texts(lines).join("\n") + "\n");
        match part.as_str() {
            "graph" => spec.graph = Some(path),
            "attributes" => spec.attributes = Some(path),
            _ => spec.labels = Some(path),
        }
    }
    if let Some(options) = case.get("options") {
        spec.reading = serde_json::from_value(options.clone()).expect("options");
    }
    load(&spec).map_err(|error| error.to_string())
}

/// The role of a column, or the kind of its cells.
fn read_as(reading: &Reading, column: &str) -> Option<String> {
    let found = reading.columns.iter().find(|own| own.name == column)?;
    Some(match (found.role, found.kind) {
        (Role::Attribute, Some(kind)) => kind.name().to_owned(),
        (role, _) => format!("{role:?}").to_lowercase(),
    })
}

fn check(name: &str, case: &Value, dataset: &Dataset) {
    let readings = &dataset.readings;
    let of = |column: &str| readings.iter().rev().find_map(|reading| read_as(reading, column));
    for expected in ["read", "kinds"] {
        for (column, kind) in case[expected].as_object().into_iter().flatten() {
            assert_eq!(of(column).as_deref(), kind.as_str(), "{name}: {column}: {readings:?}");
        }
    }
    if let Some(header) = case["header"].as_bool() {
        assert_eq!(readings[0].header, header, "{name}");
    }
    if let Some(separator) = case["separator"].as_str() {
        assert_eq!(readings[0].separator, Some(separator), "{name}");
    }
    for (column, share) in case["missing"].as_object().into_iter().flatten() {
        let found = readings.iter().flat_map(|reading| &reading.columns);
        let found = found.into_iter().find(|own| own.name == *column).and_then(|own| own.missing);
        let off = found.zip(share.as_f64()).map(|(found, share)| (found - share).abs());
        assert!(off.is_some_and(|off| off < 1e-9), "{name}: {column}: {found:?}");
    }
    let graph = &dataset.graph;
    if let Some(nodes) = case["nodes"].as_u64() {
        assert_eq!(graph.nodes().len() as u64, nodes, "{name}");
    }
    for (block, entries) in case["blocks"].as_object().into_iter().flatten() {
        let found = graph.block(block).map(|block| block.matrix.nnz() as u64);
        assert_eq!(found, entries.as_u64(), "{name}: {block}");
    }
    if let Some(columns) = case.get("columns") {
        let found = graph.block("attributes").and_then(|block| block.columns.clone());
        assert_eq!(found, Some(texts(columns)), "{name}");
    }
    if let Some(classes) = case.get("classes") {
        let found = graph.labels().map(|labels| labels.class_names().to_vec());
        assert_eq!(found, Some(texts(classes)), "{name}");
    }
    if let Some(weights) = case["weights"].as_array() {
        let links = &graph.block("links").expect("links").matrix;
        let gage_embed::Matrix::Sparse(links) = links else { panic!("{name}") };
        let mut found: Vec<f64> =
            (0..links.rows()).flat_map(|row| links.row(row).map(|entry| entry.1)).collect();
        found.sort_by(f64::total_cmp);
        let expected: Vec<f64> = weights.iter().filter_map(Value::as_f64).collect();
        assert_eq!(found, expected, "{name}");
    }
    for part in texts(&case["warnings"]) {
        let said = dataset.warnings.iter().any(|note| note.text.contains(&part));
        assert!(said, "{name}: {part}: {:?}", dataset.warnings);
    }
}

#[test]
fn every_rule_says_and_builds_what_its_case_tells() {
    let cases: Value = serde_json::from_str(CASES).expect("cases");
    let cases = cases["cases"].as_array().expect("cases");
    assert!(cases.len() > 50);
    for case in cases {
        let name = case["name"].as_str().expect("a name");
        match (read(case), case.get("error")) {
            (Err(error), Some(parts)) => {
                for part in texts(parts) {
                    assert!(error.contains(&part), "{name}: `{part}` in: {error}");
                }
            }
            (Ok(dataset), None) => check(name, case, &dataset),
            (Err(error), None) => panic!("{name}: {error}"),
            (Ok(dataset), Some(_)) => panic!("{name}: read as {:?}", dataset.readings),
        }
    }
}
