//! The rules by which columns are read, as the command says them: the cases of the library.

use serde_json::Value;

use crate::support::Place;

const CASES: &str = include_str!("../../../gage-embed/tests/corpus/readings.json");

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The flags of the options of a case.
fn flags(options: &Value) -> Vec<String> {
    let mut flags = Vec::new();
    for (name, value) in options.as_object().into_iter().flatten() {
        let flag = match name.as_str() {
            "kinds" => {
                for pair in value.as_array().unwrap() {
                    flags.push(format!("--column={}={}", text(&pair[0]), text(&pair[1])));
                }
                continue;
            }
            "ignore" => {
                flags.extend(
                    value.as_array().unwrap().iter().map(text).map(|n| format!("--ignore={n}")),
                );
                continue;
            }
            "header" => {
                flags.push(format!("--header={}", if *value == true { "yes" } else { "no" }));
                continue;
            }
            "half_life" => "half-life",
            "source" | "target" => name,
            _ => &format!("{name}-column"),
        };
        flags.push(format!("--{flag}={}", text(value)));
    }
    flags
}

#[test]
fn every_rule_is_said_by_the_command() {
    let cases: Value = serde_json::from_str(CASES).unwrap();
    let place = Place::empty();
    for case in cases["cases"].as_array().unwrap() {
        let name = text(&case["name"]);
        let mut args = vec!["info".to_owned()];
        for (part, lines) in case["files"].as_object().unwrap() {
            let lines: Vec<String> = lines.as_array().unwrap().iter().map(text).collect();
            place.write(&format!("{part}.csv"), &(lines.join("\n") + "\n"));
            args.push(format!("--{part}={part}.csv"));
        }
        args.extend(flags(&case["options"]));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        if let Some(parts) = case.get("error") {
            let said = place.run(&args);
            let said = String::from_utf8_lossy(&said.stderr).into_owned();
            for part in parts.as_array().unwrap().iter().map(text) {
                assert!(said.contains(&part), "{name}: `{part}` in {said}");
            }
            assert!(said.contains("help: "), "{name}: {said}");
            continue;
        }
        let info = place.json(&args);
        check(&name, case, &info);
    }
}

fn check(name: &str, case: &Value, info: &Value) {
    let readings = info["readings"].as_array().unwrap();
    let columns = readings.iter().rev().flat_map(|reading| reading["columns"].as_array().unwrap());
    let columns: Vec<&Value> = columns.collect();
    for expected in ["read", "kinds"] {
        for (column, kind) in case[expected].as_object().into_iter().flatten() {
            let found = columns.iter().find(|own| own["name"] == column.as_str()).unwrap();
            let role = if found["role"] == "attribute" { &found["kind"] } else { &found["role"] };
            assert_eq!(role, kind, "{name}: {column}");
        }
    }
    for key in ["header", "separator"] {
        if let Some(expected) = case.get(key) {
            assert_eq!(&readings[0][key], expected, "{name}");
        }
    }
    if let Some(nodes) = case.get("nodes") {
        assert_eq!(&info["nodes"], nodes, "{name}");
    }
    let block = |name: &str| info["blocks"].as_array().unwrap().iter().find(|b| b["name"] == name);
    for (wanted, entries) in case["blocks"].as_object().into_iter().flatten() {
        assert_eq!(block(wanted).map(|block| &block["entries"]), Some(entries), "{name}");
    }
    if let Some(columns) = case["columns"].as_array() {
        assert_eq!(block("attributes").unwrap()["columns"], columns.len(), "{name}");
    }
    if let Some(classes) = case["classes"].as_array() {
        assert_eq!(info["labels"]["classes"], classes.len(), "{name}");
    }
    let said = info["warnings"].to_string();
    for part in case["warnings"].as_array().into_iter().flatten().map(text) {
        assert!(said.contains(&part), "{name}: {part} in {said}");
    }
}

#[test]
fn a_reading_is_a_line_and_a_table() {
    let place = Place::empty();
    place.write("e.csv", "who,whom\nn1,n2\nn2,n3\n");
    place.write("p.csv", "id,age,zip,town\nn1,31,02134,Rome\nn2,,10001,Oslo\nn3,20,02134,Rome\n");
    let args = ["info", "--graph", "e.csv", "--attributes", "p.csv", "--ignore", "town"];
    let said = place.run(&args);
    let (out, err) =
        (String::from_utf8(said.stdout).unwrap(), String::from_utf8(said.stderr).unwrap());
    for line in [
        "note: e.csv: comma, header; source `who`; target `whom`\n",
        "note: p.csv: comma, header; id `id`; number `age` (33 % missing); category `zip` (digits \
         after a leading zero); ignored `town` (as said)\n",
    ] {
        assert!(err.contains(line), "{line} in {err}");
    }
    for part in ["column", "read as", "31, 20", "33.3 %", "02134, 10001"] {
        assert!(out.contains(part), "{part} in {out}");
    }
    let refused = place.run(&["info", "e.csv", "--column", "age=old"]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && told.contains("`old` is no kind"), "{told}");
}
